#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "app/window/panels/panels.h"
#include "app/window/shell/actions.h"

namespace ridge::window {

void draw_empty_state(Ui& ui, const Area& area, std::string_view sentence, std::string_view next,
                      float indent) {
  const float w = std::min(area.w - 2 * indent, ui.px(520)), x = area.x + indent;
  const float head_h =
      ui.paragraph({x, 0, w, 0}, sentence, kBody_px, Role::text, Face::strong, true);
  const float next_h = ui.paragraph({x, 0, w, 0}, next, kSmall_px, Role::muted, Face::body, true);
  const float total = head_h + ui.px(6) + next_h;
  // A little above the middle of a tall place, where the eye rests.
  const float y =
      area.h > 0 ? area.y + std::max(0.0f, (area.h - total) * 0.4f) : area.y + ui.px(24);
  ui.paragraph({x, y, w, 0}, sentence, kBody_px, Role::text, Face::strong);
  ui.paragraph({x, y + head_h + ui.px(6), w, 0}, next, kSmall_px, Role::muted);
}

void explain(Ui& ui, const std::string& name, const Area& area, std::string_view text) {
  if (ui.touch(name, area).hovered) ui.tooltip(text);
}

void RightPanel::draw(Ui& ui, Area area) {
  ui.panel(area);
  if (!ui.state.selection.lab) return;
  Area tabs = area.take_top(ui.px(48));
  ui.list->AddLine({tabs.x, tabs.bottom() - 0.5f}, {tabs.right(), tabs.bottom() - 0.5f},
                   ui.color(Role::grid));
  tabs.take_left(ui.px(16));
  const struct {
    const char* id;
    const char* label;
    Tab tab;
  } kTabs[] = {{"lesson", "Lesson", Tab::lesson},
               {"source", "Source", Tab::source},
               {"diff", "Diff", Tab::diff}};
  // At scale 2 in a small window they have less room than their usual distance takes.
  float words = 0;
  for (const auto& tab : kTabs) words += ui.width(tab.label, kBody_px);
  const float room = std::max(0.0f, tabs.w - words) / (2 * std::size(kTabs));
  const float pad = std::min(ui.px(8), std::floor(room * 0.6f));
  const float gap = std::min(ui.px(12), std::floor(room * 0.8f));
  for (const auto& tab : kTabs) {
    const Area place = tabs.take_left(ui.width(tab.label, kBody_px) + 2 * pad, gap);
    const bool chosen = ui.state.view.tab == tab.tab;
    const auto touched = ui.touch(tab.id, place);
    ui.text(place.x + place.w / 2, place.middle(), tab.label, kBody_px,
            chosen || touched.hovered ? Role::text : Role::muted, Face::body, Anchor::middle);
    if (chosen)
      ui.fill({place.x + ui.px(6), place.bottom() - ui.px(3), place.w - ui.px(12), ui.px(3)},
              ui.color(Role::series0));
    if (touched.hovered)
      ui.tooltip(std::string(action(tab.id).title) + "  (" + action(tab.id).keys.text + ")");
    if (touched.clicked) ui.dispatch_action(tab.id);
  }

  const Area inner = {area.x + ui.px(18), area.y + ui.px(4), area.w - ui.px(22), area.h - ui.px(8)};
  ImGui::SetCursorScreenPos({inner.x, inner.y});
  // One scroll position per tab and rung, kept by ImGui under the child's name.
  const std::string id =
      "right:" + std::to_string(static_cast<int>(ui.state.view.tab)) + ui.state.selection.rung;
  ImGui::SetNextWindowContentSize({0, 0});
  const bool is_code = ui.state.view.tab != Tab::lesson;
  ImGui::BeginChild(id.c_str(), {inner.w, inner.h}, false,
                    is_code ? ImGuiWindowFlags_HorizontalScrollbar : ImGuiWindowFlags_None);
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Area content = {at.x, at.y + ui.px(8), inner.w - ui.px(16), inner.h - ui.px(16)};
  switch (ui.state.view.tab) {
    case Tab::lesson:
      content.take_top(diagnosis_.draw(ui, content));
      lesson_.draw(ui, content);
      break;
    case Tab::source:
      source_.draw(ui, content);
      break;
    case Tab::diff:
      diff_.draw(ui, content);
      break;
  }
  ImGui::EndChild();
  ui.list = outer;
  ui.widgets["right"] = area;
}

}  // namespace ridge::window
