// The paired comparison: the only thing that may say "faster". Sides run interleaved in palindromes (A B B A or
// B A A B), so that drift of the clock falls on all of them alike; with more candidates the palindromes come from a
// balanced set, so that each side follows each other equally often. Several rounds share one timed block. Where a
// GPU's load holds its clock down, each side also runs alone (sustained.h), and that verdict counts.
#pragma once

#include <vector>

#include "common/core/result.h"
#include "common/harness/measure/comparison.h"
#include "common/harness/measure/harness.h"
#include "common/record/far_rounds.h"

namespace ridge::measure {

/// One side of a comparison: the baseline first, then the candidates.
struct CompareSide {
  const KernelDesc* kernel = nullptr;
  Params params;             ///< complete
  Device* device = nullptr;  ///< sides may sit on different devices
  int64_t devices = 1;       ///< on how many of its kind a call works (Options::devices)
};

inline constexpr int kTurns =
    6;  ///< sustained, a side; seven with two candidates: the fewest for an interval

/// INVALID verdicts and cancellations are outcomes. Errors: worker, a device is lost; unavailable, a side cannot run
/// here or refuses the problem, so that there is no comparison.
Result<CompareOutcome> compare(Bench* bench, const std::vector<CompareSide>& sides,
                               const CompareOptions& options, Observer* observer);

}  // namespace ridge::measure
