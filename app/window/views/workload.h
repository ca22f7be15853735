// A network's products (labs/workload.h) with the selected rung: measured at their shapes, extrapolated
// where a call would be too long, else at the rate of the nearest size that there is. No ImGui here.
#pragma once

#include "app/window/shell/state.h"
#include "app/window/shell/ui.h"
#include "common/view/chart/workload.h"

namespace ridge::window {

/// The lab's first workload; a lab without one gives a chart that says so.
chart::ChartModel workload_of(const State& state);
/// Of its own, or of a model that the learner describes.
bool has_workload(const Lab& lab);
/// The phase and the model's numbers, where the lab has a model.
void draw_model_bar(Ui& ui, Area area);
/// Runs the selected rung at the shapes of the workload.
void run_workload(State& state);

}  // namespace ridge::window
