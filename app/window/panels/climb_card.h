// The result card of the short climb, over the screen that is shown.
#pragma once

#include "app/window/shell/ui.h"

namespace ridge::window {

/// The card's place among the widgets is "climb_card": what is saved as a picture, without the buttons under it.
void draw_climb_card(Ui& ui);

}  // namespace ridge::window
