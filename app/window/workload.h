// A network's products (labs/workload.h) with the selected rung: measured at their shapes, extrapolated
// where a call would be too long, else at the rate of the nearest size that there is. No ImGui here.
#pragma once

#include "app/window/state.h"
#include "common/chart/workload.h"

namespace ridge::window {

/// The lab's first workload; a lab without one gives a chart that says so.
chart::ChartModel workload_of(const State& state);
/// Runs the selected rung at the shapes of the workload.
void run_workload(State& state);

}  // namespace ridge::window
