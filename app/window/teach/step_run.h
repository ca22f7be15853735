// The run of a step: what has to be measured, how far that is, and what was cancelled of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/window/teach/step.h"

namespace ridge::window {

/// Earlier steps of this tour measured all that this one shows: nothing has to run.
bool is_known(const study::TourStep& step, const StepBars& bars);
/// What has to be measured, in order: the bars that can run here and that no earlier step measured, then the comparison.
std::vector<WorkRequest> requests_of(const State& state, const study::TourStep& step,
                                     const StepBars& bars);
/// One that was cancelled during this step's run, of a bar's place or behind them of the comparison.
bool is_row_cancelled(const State& state, const StepBars& bars, size_t place);
/// What this step's run asked for was cancelled.
bool is_step_cancelled(const State& state);
/// How far each bar's run is, 0 to 1; and behind them that of the comparison, where the step has one.
std::vector<double> progress_of(const State& state, const study::TourStep& step,
                                const StepBars& bars);
/// The request of this step's run for which this machine's ceilings are measured now; null: none are. All bars may be full
/// by then.
const Request* at_ceilings(const State& state);
/// Whether something that this step's run asked for is still to come. Ceilings, which the worker measures behind results, are
/// not waited for: the step can be revealed meanwhile.
bool waits_for_results(const State& state);
/// "round 4 of 12, about 8 s left", of this step's comparison; empty: its rounds have not begun, or are over.
std::string rounds_so_far(const State& state);
/// How long the recorded bars are played: their own measuring time, but no longer than a room waits.
double playback_s(const StepBars& bars);

}  // namespace ridge::window
