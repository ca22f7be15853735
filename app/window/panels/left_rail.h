// The rail at the left of the lab: labs, rungs, ceilings.
#pragma once

#include <string>

#include "app/window/shell/ui.h"

namespace ridge::window {

/// Labs, rungs with their estimated seconds, ceilings of the machine.
struct LeftRail {
  void draw(Ui& ui, Area area);

 private:
  void draw_labs(Ui& ui, Area* rest);
  void draw_rungs(Ui& ui, Area* rest, float room);
  static bool draw_rung(Ui& ui, const RungView& row, const Area& line);
  static bool draw_fold(Ui& ui, const Fold& fold, const Area& line);
  void follow(Ui& ui, const RungView& row, const Area& line, const Area& list);
  void draw_ceilings(Ui& ui, Area rest);
  std::string followed_;  ///< the selection that was last scrolled to
};

}  // namespace ridge::window
