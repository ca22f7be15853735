// A tour in the lab: its question or words with the clock, and the list from which one is chosen.
#pragma once

#include "app/window/shell/ui.h"

namespace ridge::window {

struct TourBar {
  /// 0 while no tour is on.
  float height(Ui& ui, float width) const;
  void draw(Ui& ui, Area area) const;
};

/// The list behind J.
void draw_tours(Ui& ui);

}  // namespace ridge::window
