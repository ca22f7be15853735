#include "app/window/teach/teach_panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/window/shell/actions.h"
#include "app/window/teach/predict.h"
#include "common/core/format.h"

namespace ridge::window {
namespace {

std::string hint_of(const State& state, const Reference& reference) {
  if (const Draft* draft = draft_of(state, state.selection.rung)) {
    return "You expect " + format_time_ns(draft->value_ns) + ". Run locks it.";
  }
  if (reference.title.empty()) return "Type a time, as 12 ms, or drag. Run locks it.";
  return "Type 3x (over " + reference.title + ", " + format_time_ns(reference.time_ns) +
         ") or a time, or drag. Run locks it.";
}

/// What the field holds; of a rung that was selected just now its draft.
std::string typed_text(const State& state) {
  if (state.teaching.typed_for == state.selection.rung) return state.teaching.typed;
  const Draft* draft = draft_of(state, state.selection.rung);
  return draft ? draft->text : "";
}

}  // namespace

float PredictBar::height(const Ui& ui) const {
  const State& state = ui.state;
  const bool shown =
      state.selection.lab && (state.teaching.predicting || draft_of(state, state.selection.rung) ||
                              revealed_of(state, state.selection.rung));
  return shown ? ui.px(64) : 0;
}

void PredictBar::draw_slider(Ui& ui, const Area& area) const {
  const State& state = ui.state;
  const Interval span = draft_span(state);
  const Area rail = {area.x, area.middle() - ui.px(7), area.w, ui.px(14)};
  ui.fill(rail, ui.raised(2), ui.px(3));
  const auto touched = ui.touch("predict_drag", {area.x, area.y, area.w, area.h});
  const double decades = std::log(span.high / span.low);
  if (touched.held && area.w > 1) {
    const double share = std::clamp((ImGui::GetIO().MousePos.x - area.x) / area.w, 0.0f, 1.0f);
    ui.dispatch([value_ns = span.low * std::exp(share * decades)](State& changed) {
      drag_draft(changed, value_ns);
    });
  }
  const Draft* draft = draft_of(state, state.selection.rung);
  if (touched.hovered && !draft) ui.tooltip("Drag the bar to the time that you expect.");
  if (!draft) return;
  const double share = std::clamp(std::log(draft->value_ns / span.low) / decades, 0.0, 1.0);
  const float end = area.x + area.w * static_cast<float>(share);
  ui.frame({rail.x, rail.y, end - rail.x, rail.h}, ui.color(Role::text), ui.px(3), ui.px(1.5f));
  ui.fill({end - ui.px(3), rail.y - ui.px(4), ui.px(6), rail.h + ui.px(8)}, ui.color(Role::text),
          ui.px(2));
}

void PredictBar::draw_field(Ui& ui, Area area) const {
  const State& state = ui.state;
  const std::string typed = typed_text(state);
  const Reference reference = reference_of(state, state.selection.rung);
  const std::string label = "Predict " + rung_title(state.ladder, state.selection.rung);
  Area line = area.take_top(ui.px(34), ui.px(2));
  line.take_left(ui.text(line.x, line.middle(), label, kSmall_px + 1, Role::text, Face::strong,
                         Anchor::start, line.w * 0.4f),
                 ui.px(14));
  const Area box = line.take_left(ui.px(112), ui.px(18));
  ui.widgets["predict_field"] = box;
  ui.fill(box, ui.raised(2), ui.px(5));
  char text[32] = {};
  std::snprintf(text, sizeof text, "%s", typed.c_str());
  const float height = ui.px(kSmall_px + 1);
  compat::push_font(ui.fonts.get(Face::mono, height), height);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(10), (box.h - height) / 2});
  ImGui::SetCursorScreenPos({box.x, box.y});
  ImGui::SetNextItemWidth(box.w);
  if (state.teaching.wants_focus) {
    ImGui::SetKeyboardFocusHere();
    ui.dispatch([](State& changed) { changed.teaching.wants_focus = false; });
  }
  const bool entered =
      ImGui::InputText("##predict", text, sizeof text, ImGuiInputTextFlags_EnterReturnsTrue);
  const bool left = ImGui::IsItemDeactivatedAfterEdit();
  if (ImGui::IsItemActive()) ui.frame(box, ui.color(Role::series0), ui.px(5), ui.px(1.5f));
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  ImGui::PopFont();
  if (typed != text || state.teaching.typed_for != state.selection.rung) {
    ui.dispatch([now = std::string(text), rung = state.selection.rung](State& changed) {
      changed.teaching.typed = now;
      changed.teaching.typed_for = rung;
    });
  }
  if ((entered || left) && *text)
    ui.dispatch([now = std::string(text)](State& changed) { set_draft(changed, now); });
  if (line.w > ui.px(60)) draw_slider(ui, line);
  const std::string why = predict_blocker(state);
  const std::string& said = state.notice.text;
  const bool is_wrong = state.notice.is_error && !said.empty();
  ui.text(area.x, area.y + area.h / 2,
          !why.empty() ? why
          : is_wrong   ? said
                       : hint_of(state, reference),
          kSmall_px, is_wrong ? Role::slower : Role::muted, Face::body, Anchor::start, area.w);
}

void PredictBar::draw(Ui& ui, Area area) const {
  ui.panel(area);
  const State& state = ui.state;
  ui.widgets["predict_bar"] = area;
  Area inner = area.inset(ui.px(18), ui.px(5));
  const auto revealed = revealed_of(state, state.selection.rung);
  const bool is_open = state.teaching.predicting || draft_of(state, state.selection.rung);
  if (is_open && !(revealed && !revealed->series && state.requests.run))
    return draw_field(ui, inner);
  if (!revealed) return;
  const float half = inner.h / 2;
  const bool waits = !revealed->series && state.requests.run;
  const std::string first = waits ? "Predicted " + format_time_ns(revealed->prediction->value) +
                                        ": locked until the run is over."
                                  : report::prediction_sentence(*revealed);
  ui.text(inner.x, inner.y + half / 2, first, kBody_px, Role::text, Face::strong, Anchor::start,
          inner.w);
  const std::string second = waits ? "" : report::model_sentence(*revealed);
  ui.text(inner.x, inner.y + half * 1.5f, second, kSmall_px, Role::muted, Face::body, Anchor::start,
          inner.w);
  if (ui.touch("predict_said", inner).hovered) ui.tooltip(first + "\n" + second);
}

}  // namespace ridge::window
