// What the forest and the distribution of a paired comparison are drawn from: its rounds.
#pragma once

#include <vector>

#include "common/record/run.h"

namespace ridge::chart {

/// t_baseline / t_candidate of each round, in the order received; empty where rounds were not kept.
std::vector<double> round_ratios(const Run& run, const Comparison& comparison);

/// Every time per call of one side, in the order taken, as the samples of a series of its own.
Series side_of(const Run& run, const Comparison& comparison, bool candidate);

/// The parameters that all candidates have in common.
Params shared_params(const std::vector<const Comparison*>& comparisons);

}  // namespace ridge::chart
