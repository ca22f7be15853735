// A network's products (labs/workload.h) with the selected rung: measured at their shapes, extrapolated
// where a call would be too long, else at the rate of the nearest size that there is. No ImGui here.
#pragma once

#include "app/window/views/view.h"
#include "common/view/chart/workload.h"

namespace ridge::window {

/// The lab's first workload; a lab without one gives a chart that says so.
chart::ChartModel workload_of(const State& state);
/// Of its own, or of a model that the learner describes.
bool has_workload(const Lab& lab);
/// Runs the selected rung at the shapes of the workload.
void run_workload(State& state);

extern const ViewDesc kWorkloadView;

}  // namespace ridge::window
