// The lanes of a GPU rung's warps, drawn by the panel of the view Trace.
#pragma once

#include <memory>

#include "app/window/views/view.h"

namespace ridge::window {

/// Where the selected rung is a GPU's (shows_lanes()). It keeps the zoom.
std::unique_ptr<CentrePanel> make_lanes_panel();

}  // namespace ridge::window
