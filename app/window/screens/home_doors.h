// The three doors of Home: watch the ladder climb, learn by a tour, build a kernel.
#pragma once

#include <vector>

#include "app/query/editing.h"
#include "app/window/shell/ui.h"

namespace ridge::window {

class HomeDoors {
 public:
  /// Height at this width: one row of three, or three rows where the place is narrow.
  static float height(Ui& ui, float width);
  void draw(Ui& ui, Area area);

 private:
  static float door_height(Ui& ui, float width);
  void draw_learn(Ui& ui, Area door) const;
  void draw_build(Ui& ui, Area door);
  void draw_ticks(Ui& ui, Area area) const;

  Result<std::vector<app::Exercise>> exercises_ = app::all_exercises();
};

/// The machine in one line, or why it is not known.
std::string machine_line(const State& state);

}  // namespace ridge::window
