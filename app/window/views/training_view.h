// The training curves of the lab's centre: every training of the run, each under what tells it from the
// others.
#pragma once

#include "app/window/views/view.h"

namespace ridge::window {

/// A rung of the lab is a training, or one was run.
bool has_trainings(const State& state);
/// Some training here counted its gradients.
bool has_gradients(const State& state);
std::string trainings_blocker(const State& state);
/// One row for each training and set of parameters, newest result; recorded ones of rungs that cannot run
/// here; and the baseline.
ChartRows training_rows(const State& state);
chart::ChartModel training_curves(const State& state, const ChartRows& rows);

extern const ViewDesc kTrainingView;

}  // namespace ridge::window
