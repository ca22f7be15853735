// What of a run is nearest to what was asked for, where it has nothing at those very parameters.
#pragma once

#include <span>
#include <string>

#include "common/record/run.h"

namespace ridge::app {

/// "n = 4096" where all whole numbers that differ share one value; else "m = 4096, n = 512". Empty: none
/// differs, but for threads, which are no size.
std::string size_difference(const Params& have, const Params& wanted, const std::string& size);

/// The series of `kernel` whose size is nearest to `wanted` (in ratio, over every shared integer
/// parameter; a different text parameter such as dtype is never "near"). Only finished series count, and
/// of the parameters named in `fixed` only those with the same value.
struct Snapped {
  const Series* series = nullptr;
  bool exact = false;
  std::string shown_size;  ///< "n = 4096": the parameters that differ, where not exact
};
Snapped nearest_series(const Run& run, const std::string& kernel, const Params& wanted,
                       const OpenEnum<CacheMode>& cache, std::span<const char* const> fixed = {});

/// The same for a paired comparison: the candidate's parameters count, the newest wins a tie.
struct SnappedComparison {
  const Comparison* comparison = nullptr;
  bool exact = false;
  std::string shown_size;
};
SnappedComparison nearest_comparison(const Run& run, const std::string& baseline,
                                     const std::string& candidate, const Params& wanted,
                                     const OpenEnum<CacheMode>& cache);

}  // namespace ridge::app
