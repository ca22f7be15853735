// The view "Traffic" of labs with a loop nest whose order is chosen.
#pragma once

#include "app/window/views/view.h"

namespace ridge::window {

extern const ViewDesc kTrafficView;

}  // namespace ridge::window
