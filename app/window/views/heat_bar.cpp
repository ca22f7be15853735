#include <algorithm>

#include "app/window/views/heat.h"

namespace ridge::window {

void draw_heat_bar(Ui& ui, Area area) {
  const std::vector<std::string> names = heat_params(ui.state);
  if (names.size() < 2) return;
  const HeatAxes axes = heat_axes(ui.state);
  Area line = area.inset(ui.px(8), ui.px(5));
  const size_t pairs = axes.x_stops.size() * axes.y_stops.size();
  const std::string label = "Sweep " + std::to_string(pairs) + " cells";
  // First its place: on a projector the names would leave none.
  const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
  ui.action_button("sweep_pair", line.take_right(w, ui.px(12)), label, Ui::Kind::normal);
  float all = 0, widest = 0;
  for (const std::string& name : names) {
    all += ui.width(name, kSmall_px) + ui.px(20);
    widest = std::max(widest, ui.width(name, kSmall_px));
  }
  const float room =
      (line.w - ui.width("across", kSmall_px) - ui.width("up", kSmall_px) - ui.px(52)) / 2;
  const float width = all <= room ? all : std::min(room, widest + ui.px(80));  // all, or a stepper
  for (const bool is_x : {true, false}) {
    line.take_left(ui.text(line.x, line.middle(), is_x ? "across" : "up", kSmall_px, Role::muted),
                   ui.px(8));
    const Area buttons = line.take_left(width, ui.px(18));
    const auto chosen = std::find(names.begin(), names.end(), is_x ? axes.x : axes.y);
    const int clicked = ui.segments(is_x ? "across" : "up", buttons, names,
                                    static_cast<int>(chosen - names.begin()));
    if (clicked >= 0)
      ui.dispatch([is_x, name = names[static_cast<size_t>(clicked)]](State& state) {
        set_heat_axis(state, is_x, name);
      });
  }
}

}  // namespace ridge::window
