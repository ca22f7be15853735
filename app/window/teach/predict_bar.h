// The place where an expectation is typed or dragged, and where it is revealed afterwards.
#pragma once

#include "app/window/shell/ui.h"

namespace ridge::window {

struct PredictBar {
  /// 0 where there is nothing to predict and nothing was.
  float height(const Ui& ui) const;
  void draw(Ui& ui, Area area) const;

 private:
  void draw_field(Ui& ui, Area area) const;
  void draw_slider(Ui& ui, const Area& area) const;
};

}  // namespace ridge::window
