// The heatmap of the selected rung over two of its parameters: which two, at what values, what was
// measured there, and the run that fills it.
#pragma once

#include <string>
#include <vector>

#include "app/window/views/view.h"
#include "common/view/chart/heatmap.h"

namespace ridge::window {

/// The two parameters and their values; empty names: the rung has no two that are numbers.
struct HeatAxes {
  std::string x, y;
  std::vector<int64_t> x_stops, y_stops;
};

/// The selected rung's parameters that are numbers with a choice, as the family lists them.
std::vector<std::string> heat_params(const State& state);
/// What was chosen, else the lab's size over the next one.
HeatAxes heat_axes(const State& state);
void set_heat_axis(State& state, bool is_x, const std::string& name);

/// What to send, or to look for, at a pair of values. A parameter that copies another follows it, except
/// where both axes are of that group (m and n): then the third stays where the view has it.
Params heat_params_at(const State& state, const HeatAxes& axes, int64_t x, int64_t y);

chart::ChartModel heat_chart(const State& state);
/// Runs the rung at every pair as one request, the shortest first.
void sweep_pair(State& state);
/// The lab's parameters go to the cell's, where it has both.
void select_heat_cell(State& state, int row);

extern const ViewDesc kHeatmapView;

}  // namespace ridge::window
