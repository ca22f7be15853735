// The lab's score card (labs/score_card.h), filled in from what was measured at the parameters in view.
// No ImGui here.
#pragma once

#include "app/window/views/view.h"

namespace ridge::window {

/// Of a lab with a score card: a row for each network; `kernels` receives the rung that stands for it.
chart::ChartModel score_of(const State& state, std::vector<std::string>* kernels);
/// Measures each network three times: many items from features, many from the raw input, a single one.
void run_score(State& state);
std::string score_blocker(const State& state);
std::string run_score_blocker(const State& state);

}  // namespace ridge::window
