// What holds the rungs of a run back, as text for a terminal.
#pragma once

#include <cstdint>
#include <string>

#include "common/record/run.h"
#include "labs/lab.h"

namespace ridge::app {

/// A paragraph for each cause, with the rungs that share it, their evidence and the lever once; below a rung what its
/// GPU kernels take and what was counted. At most 100 columns wide, kernels and counters apart. Empty where nothing
/// has a speed. `request` 0: all series.
std::string diagnoses_text(const Run& run, int64_t request, const Lab& lab);
/// What limits the last rung that has a speed, one line; empty where that is not settled.
std::string last_diagnosis_text(const Run& run, int64_t request);

}  // namespace ridge::app
