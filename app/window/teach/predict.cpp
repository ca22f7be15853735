#include "app/window/teach/predict.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "app/window/shell/actions.h"
#include "app/window/shell/overlays.h"
#include "common/core/format.h"
#include "common/record/params.h"
#include "common/record/pipeline_model.h"
#include "common/view/chart/ladder_predictions.h"

namespace ridge::window {
namespace {

struct Unit {
  std::string_view name;
  double ns;
};
constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
// One call of the longest rung that is allowed to run takes 5 s; an hour is a slip of the finger.
constexpr double kMost_ns = 3.6e12;

std::string_view trimmed(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t"), to = text.find_last_not_of(" \t");
  return from == std::string_view::npos ? std::string_view() : text.substr(from, to - from + 1);
}

std::optional<double> measured_ns(const RungView& row) {
  if (!row.series || !row.series->stats || !row.series->quality_passed()) return {};
  const double ns = row.series->stats->median_ns;
  return ns > 0 && row.shown_size.empty() ? std::optional(ns) : std::nullopt;
}

Error unreadable(std::string_view text) {
  return {ErrorCode::usage, "“" + std::string(text) + "” is no time and no factor", "",
          "type 12 ms, 850 us, or 3x"};
}

/// The parameters of a rung as a draft and a request name them.
Params params_of(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state.ladder, kernel);
  return row && row->info ? params_for(state, *row->info) : shown_params(state);
}

/// The newest result of this rung whose stages were measured alone, whatever its parameters.
const Series* modelled(const State& state, const std::string& kernel) {
  const auto newest = [&](const Run& run) -> const Series* {
    const auto& all = run.series();
    const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Series& series) {
      return series.kernel == kernel && series.pipeline && series.status == SeriesStatus::ok;
    });
    return found == all.rend() ? nullptr : &*found;
  };
  const Series* found = newest(state.run());
  for (const Recording& recording : state.sessions.recordings) {
    if (found == nullptr) found = newest(*recording.run);
  }
  return found;
}

/// What the pipeline model says of the parameters in view: the sliders ask what if, nothing has to run.
std::optional<chart::PredictedRow> model_mark(const State& state, const std::string& kernel,
                                              int row) {
  const Series* from = modelled(state, kernel);
  if (from == nullptr) return std::nullopt;
  const PipelinePrediction model = predict(*from->pipeline, from->params, shown_params(state));
  chart::PredictedRow mark{row, 0, model.item_ns * 1e-9};
  mark.is_elsewhere = !agrees(from->params, shown_params(state));
  mark.note = "The pipeline model at these parameters: " + format_time_ns(model.item_ns) +
              " an item, by " + model.bound + "; its stages were measured alone at " +
              to_string(from->params) + ".";
  return mark;
}

}  // namespace

Reference reference_of(const State& state, const std::string& kernel) {
  const RungView* baseline = find_row(state.ladder, state.selection.baseline);
  if (baseline && state.selection.baseline != kernel) {
    if (const auto ns = measured_ns(*baseline)) return {baseline->rung->title, *ns};
  }
  Reference found;
  for (const RungView& row : state.ladder.rows) {
    if (kernel == row.rung->kernel) break;
    if (row.rung->peer) continue;
    const Draft* draft = draft_of(state, row.rung->kernel);
    if (const auto ns = measured_ns(row))
      found = {row.rung->title, *ns};
    else if (draft)
      found = {row.rung->title + std::string(" as predicted"), draft->value_ns};
  }
  return found;
}

Result<double> parse_prediction(std::string_view text, const Reference& reference) {
  const std::string_view whole = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return unreadable(whole);
  if (!(value > 0)) {
    return Error{ErrorCode::usage, "a prediction is above zero", "", "type 12 ms, or 3x"};
  }
  const std::string_view unit = trimmed(whole.substr(static_cast<size_t>(end - whole.data())));
  double ns = 0;
  if (unit == "x" || unit == "X" || unit == "×") {
    if (reference.title.empty()) {
      return Error{ErrorCode::usage, "there is no result yet that a factor could refer to", "",
                   "run the rung before first, or type a time: 12 ms"};
    }
    ns = reference.time_ns / value;
  } else {
    const auto* known = std::find_if(std::begin(kUnits), std::end(kUnits),
                                     [&](const Unit& one) { return one.name == unit; });
    if (known == std::end(kUnits)) return unreadable(whole);
    ns = value * known->ns;
  }
  if (!(ns <= kMost_ns)) {
    return Error{ErrorCode::usage, "a call of over an hour is not run here", "", "check the unit"};
  }
  return ns;
}

std::string predict_blocker(const State& state) {
  if (!state.selection.lab) return "This build has no labs.";
  if (state.is_replay()) return "This is a saved run: what was predicted then is shown.";
  if (state.requests.run) return "Locked while it runs.";
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (!row || !row->can_run) return "The selected rung cannot run here, so there is no reveal.";
  return {};
}

bool set_draft(State& state, const std::string& text) {
  if (const std::string why = predict_blocker(state); !why.empty()) {
    state.notice = {why, false};
    return false;
  }
  const auto ns = parse_prediction(text, reference_of(state, state.selection.rung));
  if (!ns) {
    state.notice = {ns.error().sentence(), true};
    return false;
  }
  state.teaching.drafts[state.selection.rung] = {text, *ns, params_of(state, state.selection.rung)};
  state.notice = {};
  state.ladder.dirty = true;
  return true;
}

Interval draft_span(const State& state) {
  const Reference reference = reference_of(state, state.selection.rung);
  if (reference.title.empty()) return {1e3, 1e10};
  return {reference.time_ns / 1000, reference.time_ns * 10};
}

void drag_draft(State& state, double value_ns) {
  const double step = std::pow(10, std::floor(std::log10(value_ns)) - 1);
  value_ns = std::round(value_ns / step) * step;
  state.teaching.typed = format_time_ns(value_ns);
  if (predict_blocker(state).empty()) {
    state.teaching.drafts[state.selection.rung] = {state.teaching.typed, value_ns,
                                                   params_of(state, state.selection.rung)};
    state.ladder.dirty = true;
  }
}

const Draft* draft_of(const State& state, const std::string& kernel) {
  const auto found = state.teaching.drafts.find(kernel);
  const bool here =
      found != state.teaching.drafts.end() && found->second.params == params_of(state, kernel);
  return here ? &found->second : nullptr;
}

void lock_drafts(State& state, const WorkRequest& request) {
  if (request.type != RequestType::run) return;
  // Run by its key while the text stands in the field: what is read there is what is meant.
  Teaching& teach = state.teaching;
  const Draft* known = draft_of(state, state.selection.rung);
  const bool is_typed = teach.predicting && teach.typed_for == state.selection.rung &&
                        !teach.typed.empty() && (!known || known->text != teach.typed);
  if (is_typed) set_draft(state, teach.typed);
  teach.typed.clear();
  teach.predicting = false;
  for (const KernelRequest& asked : request.kernels) {
    const auto draft = state.teaching.drafts.find(asked.kernel);
    if (draft == state.teaching.drafts.end() || draft->second.params != asked.params) continue;
    state.sessions.shown->predict(asked.kernel, asked.params, draft->second.value_ns);
    state.teaching.drafts.erase(draft);
  }
}

std::optional<report::Revealed> revealed_of(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state.ladder, kernel);
  if (!row || row->origin == Origin::recorded) return {};
  return report::reveal(state.run(), kernel, view_params(state, row->info));
}

void mark_predictions(const State& state, const ChartRows& rows, chart::ChartModel* ladder) {
  std::vector<chart::PredictedRow> marks;
  for (size_t i = 0; i < rows.kernels.size(); ++i) {
    const int row = static_cast<int>(i);
    if (const Draft* draft = draft_of(state, rows.kernels[i])) {
      marks.push_back({row, draft->value_ns * 1e-9, {}, "You expect " + draft->text + "."});
      marks.back().draft = draft->text;
    } else if (const auto revealed = revealed_of(state, rows.kernels[i])) {
      chart::PredictedRow mark{row, revealed->prediction->value * 1e-9};
      mark.note = report::prediction_sentence(*revealed);
      if (revealed->series && rows.rows[i].series) {
        if (revealed->least.time_ns) mark.least_s = *revealed->least.time_ns * 1e-9;
        mark.note += "\n" + report::model_sentence(*revealed);
      }
      marks.push_back(std::move(mark));
    }
    if (auto model = model_mark(state, rows.kernels[i], row)) marks.push_back(*std::move(model));
  }
  chart::add_predictions(ladder, marks);
  if (!state.teaching.predicting || ladder->panels.empty()) return;
  // A bar that is dragged needs an axis that reaches as far as anyone may expect.
  chart::Axis& axis = ladder->panels.front().axis;
  const bool is_fresh = ladder->panels.front().marks.empty();
  const Interval span = draft_span(state);
  axis.low = is_fresh ? span.low * 1e-9 : std::min(axis.low, span.low * 1e-9);
  axis.high = is_fresh ? span.high * 1e-9 : std::max(axis.high, span.high * 1e-9);
}

bool is_predicting(const State& state, const std::string& kernel) {
  const bool is_open = state.teaching.predicting && state.selection.rung == kernel;
  const bool is_asked = state.teaching.presenting || state.teaching.tour;
  return is_open || draft_of(state, kernel) != nullptr ||
         (is_asked && (state.teaching.beat == Beat::predict || state.teaching.beat == Beat::run));
}

void toggle_predict(State& state) {
  Teaching& teach = state.teaching;
  teach.predicting = !teach.predicting;
  teach.wants_focus = teach.predicting;
  if (teach.predicting && state.view.screen != ScreenId::presenter)
    state.view.screen = ScreenId::lab;
  state.ladder.dirty = true;
}

// ---- drawn -------------------------------------------------------------------------------------

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
  const auto touched = ui.touch("predict_drag", {area.x, area.y, area.w, area.h}, false);
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
  if (ui.hovers("predict_said", inner)) ui.tooltip(first + "\n" + second);
}

}  // namespace ridge::window
