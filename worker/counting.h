// Counters that need a profiler, which makes every later launch of its process dearer: read by a
// second worker, started for it and ended after it, while this one rests.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/harness/measure/observer.h"
#include "common/record/request.h"

namespace ridge::worker {

struct Counted {
  std::vector<Counter> counters;
  std::string reason;  ///< why there are none
};

/// Counts the kernels of these series, each with its own params, in the order given; each gets
/// counters or a reason. Stops early, with reasons, when `observer` says cancelled.
std::vector<Counted> count_elsewhere(const WorkRequest& request, const std::vector<Series>& series,
                                     measure::Observer* observer);

}  // namespace ridge::worker
