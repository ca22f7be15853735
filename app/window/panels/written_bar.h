// The bar that offers what was written last (shell/written.h). It stands for a while in the place of another bar, so that
// nothing moves under the pointer when it comes or goes.
#pragma once

#include "app/window/shell/ui.h"

namespace ridge::window {

/// Of the bottom bar, in whose place it stands; on a screen without one it takes the top bar's.
float bottom_bar_height(const Ui& ui);
/// Something was written, and the bar was not closed.
bool has_written(const Ui& ui);
void draw_written(Ui& ui, Area area);

}  // namespace ridge::window
