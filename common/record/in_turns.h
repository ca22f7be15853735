// How a time came about: of a rung alone, one call after the other, or of a side of a comparison, in turns with the other.
// The two need not agree: what ran just before has other data in the caches and another clock.
#pragma once

#include <string>

#include "common/record/run.h"

namespace ridge {

/// Said of a figure that stands among those of rungs alone.
inline const std::string kTimedInTurns = "timed in turns";
/// Whether the series is a side of a comparison.
bool is_in_turns(const Run& run, const SeriesFacts& series);
/// The newest comparison of just these two results that has a ratio; null: there is none.
const Comparison* newest_pair(const Run& run, const SeriesFacts& baseline,
                              const SeriesFacts& candidate);

}  // namespace ridge
