// The bar over the bottom bar that offers what was written last (shell/written.h).
#pragma once

#include "app/window/shell/ui.h"

namespace ridge::window {

/// 0 where nothing was written, or its bar was closed.
float written_height(const Ui& ui);
void draw_written(Ui& ui, Area area);

}  // namespace ridge::window
