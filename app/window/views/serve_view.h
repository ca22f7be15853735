// The view "Queue": requests before the selected rung's step, and the latest answer for it.
#pragma once

#include "app/window/views/view.h"

namespace ridge::window {

/// The rung that is served: the selected one if it makes steps, else the last of the lab's that does and runs here.
const RungView* served_row(const State& state);
chart::ChartModel serve_of(const State& state);
std::string queue_blocker(const State& state);
std::string serve_blocker(const State& state);
void run_serve(State& state);

}  // namespace ridge::window
