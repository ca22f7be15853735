// The view "Queue": requests before the selected rung's step, and the latest answer for it. No ImGui but in the bar.
#pragma once

#include "app/window/shell/state.h"
#include "app/window/shell/ui.h"
#include "common/view/chart/model.h"

namespace ridge::window {

/// The rung that is served: the selected one if it makes steps, else the last of the lab's that does and runs here.
const RungView* served_row(const State& state);
chart::ChartModel serve_of(const State& state);
std::string why_no_queue(const State& state);
std::string why_no_serve(const State& state);
void run_serve(State& state);
/// Batch limit, waiting time, prompt, limit, and the button.
void draw_serve_bar(Ui& ui, Area area);

}  // namespace ridge::window
