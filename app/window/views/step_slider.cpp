#include "app/window/views/step_slider.h"

#include <algorithm>
#include <cmath>

namespace ridge::window {

int draw_step_slider(Ui& ui, const Area& area, const std::string& name, int step, int count) {
  const auto held = ui.touch(name + ":step", area, false);
  const float left = area.x + ui.px(7), wide = area.w - ui.px(14);
  const int last = std::max(0, count - 1);
  int chosen = -1;
  if (held.held && wide > 0) {
    const float at = (ImGui::GetIO().MousePos.x - left) / wide;
    chosen = std::clamp(static_cast<int>(std::lround(at * static_cast<float>(last))), 0, last);
    ui.needs_redraw = true;
  }
  if (held.hovered) ui.tooltip("Drag to step; < and > step too");
  const float knob = left + wide * static_cast<float>(chosen >= 0 ? chosen : step) /
                                static_cast<float>(std::max(1, last));
  ui.fill({left, area.middle() - ui.px(2), wide, ui.px(4)}, ui.color(Role::grid), ui.px(2));
  ui.fill({left, area.middle() - ui.px(2), knob - left, ui.px(4)}, ui.color(Role::series0),
          ui.px(2));
  ui.widgets[name + ":knob"] = {knob - ui.px(7), area.y, ui.px(14), area.h};
  ui.list->AddCircleFilled({knob, area.middle()}, ui.px(held.hovered || held.held ? 8 : 7),
                           ui.color(Role::series0));
  return chosen;
}

}  // namespace ridge::window
