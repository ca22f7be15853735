// The widgets of ui.h. All of them are an invisible ImGui item, which gives hovering, clicking and
// the keyboard's focus, and a picture of our own.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/window/shell/actions.h"
#include "app/window/shell/ui.h"

namespace ridge::window {

Ui::Touch Ui::touch(const std::string& name, const Area& area) {
  widgets[name] = area;
  if (area.w < 1 || area.h < 1) return {};
  ImGui::SetCursorScreenPos({area.x, area.y});
  const bool clicked = ImGui::InvisibleButton(name.c_str(), {area.w, area.h});
  const bool focused = ImGui::IsItemFocused() && ImGui::GetIO().NavVisible;
  if (focused) frame(area.inset(-1), color(Role::text), px(5), 2);
  // ImGui 1.86 presses what has the focus with Space only.
  const bool entered = focused && compat::key_pressed(compat::Key::enter);
  return {ImGui::IsItemHovered(), clicked || entered, ImGui::IsItemActive()};
}

bool Ui::button(const std::string& name, const Area& area, std::string_view label, Kind kind,
                bool enabled) {
  const Touch touched = touch(name, area);
  const bool lit = touched.hovered && enabled;
  if (kind == Kind::primary && enabled) {
    fill(area, color(Role::series0, lit ? 1 : 0.9f), px(5));
  } else if (kind != Kind::quiet || lit) {
    fill(area, raised(lit ? 3 : enabled ? 2 : 1), px(5));
  }
  const Role role = !enabled ? Role::muted : kind == Kind::primary ? Role::canvas : Role::text;
  text(area.x + area.w / 2, area.middle(), label, kSmall_px + 1, role,
       kind == Kind::primary ? Face::strong : Face::body, Anchor::middle);
  return touched.clicked;
}

namespace {

/// The pointer is where it clicked last: a tooltip would cover what the click brought (after Edit, what
/// becomes of each save).
bool rests_after_click() {
  constexpr float kNear_px = 4;
  const ImGuiIO& io = ImGui::GetIO();
  return std::fabs(io.MousePos.x - io.MouseClickedPos[0].x) < kNear_px &&
         std::fabs(io.MousePos.y - io.MouseClickedPos[0].y) < kNear_px;
}

}  // namespace

bool Ui::action_button(const char* id, const Area& area, std::string_view label, Kind kind) {
  const Action& entry = action(id);
  const std::string why = entry.why_not(state);
  const bool clicked = button(id, area, label, kind, why.empty());
  if (ImGui::IsItemHovered() && !rests_after_click()) {
    std::string says = entry.title;
    if (*entry.keys.text) says += "  (" + std::string(entry.keys.text) + ")";
    if (!why.empty()) says += "\n" + why;
    tooltip(says);
  }
  if (clicked) dispatch_action(id);
  return clicked;
}

void Ui::dispatch_action(std::string_view id) {
  dispatch([id = std::string(id)](State& changed) { perform(changed, id); });
}

void Ui::apply_changes(State& changed) {
  for (const auto& change : std::exchange(changes_, {})) {
    change(changed);
    reads_again = true;
  }
}

int Ui::stepper(const std::string& name, const Area& area, const std::vector<std::string>& labels,
                int chosen) {
  fill(area, raised(1), px(5));
  int result = -1;
  const int last = static_cast<int>(labels.size()) - 1;
  Area rest = area;
  const Area less = rest.take_left(px(28)), more = rest.take_right(px(28));
  if (button(name + "-", less, "‹", Kind::quiet, chosen > 0) && chosen > 0) result = chosen - 1;
  if (button(name + "+", more, "›", Kind::quiet, chosen < last) && chosen < last)
    result = chosen + 1;
  if (chosen >= 0) {
    text(rest.x + rest.w / 2, rest.middle(),
         elide(labels[static_cast<size_t>(chosen)], rest.w, kSmall_px), kSmall_px, Role::text,
         Face::body, Anchor::middle);
  }
  return result;
}

int Ui::segments(const std::string& name, const Area& area, const std::vector<std::string>& labels,
                 int chosen) {
  float total = 0;
  std::vector<float> widths;
  for (const std::string& label : labels) widths.push_back(width(label, kSmall_px));
  for (const float w : widths) total += w;
  if (total > area.w) return stepper(name, area, labels, chosen);
  fill(area, raised(1), px(5));
  int clicked = -1;
  const float pad = std::max(0.0f, (area.w - total) / static_cast<float>(2 * labels.size()));
  float x = area.x;
  for (size_t i = 0; i < labels.size(); ++i) {
    const Area part = {x, area.y, widths[i] + 2 * pad, area.h};
    const Touch touched = touch(name + "=" + labels[i], part);
    const bool is_chosen = static_cast<int>(i) == chosen;
    if (is_chosen)
      fill(part.inset(px(2)), raised(4), px(4));
    else if (touched.hovered)
      fill(part.inset(px(2)), raised(2), px(4));
    text(part.x + part.w / 2, part.middle(), labels[i], kSmall_px,
         is_chosen ? Role::text : Role::muted, Face::body, Anchor::middle);
    if (touched.clicked) clicked = static_cast<int>(i);
    x += part.w;
  }
  return clicked;
}

void Ui::tooltip(std::string_view text) {
  if (text.empty()) return;
  const float pad = px(10), most = px(440);
  float widest = 0;
  for (size_t from = 0; from <= text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    widest = std::max(widest, width(text.substr(from, end - from), kSmall_px));
    from = end + 1;
  }
  const float w = std::min(most, widest + 1);
  const float h = paragraph({0, 0, w, 0}, text, kSmall_px, Role::text, Face::body, true);
  ImGui::SetNextWindowSize({w + 2 * pad, h + 2 * pad});
  ImGui::PushStyleColor(ImGuiCol_PopupBg, raised(2));
  ImGui::BeginTooltip();
  ImDrawList* outer = list;
  list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetWindowPos();
  paragraph({at.x + pad, at.y + pad, w, h}, text, kSmall_px, Role::text);
  list = outer;
  ImGui::EndTooltip();
  ImGui::PopStyleColor();
}

}  // namespace ridge::window
