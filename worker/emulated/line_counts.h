// What an emulated launch is counted by, line by line of the rung's own file: what its margin shows.
#pragma once

#include <map>

#include "common/core/result.h"
#include "worker/emulated/counts.h"
#include "worker/emulated/object.h"

namespace ridge::emulated {

struct LineCounts {
  SiteCounts counts;
  int64_t flop = 0;
};

/// By line, from 1. What a header does is counted at the line of the rung that called it; what no line of the rung led to,
/// a kernel that lies in a header as a whole, at line 0. Errors: as lines_of() and flop_of_blocks().
Result<std::map<int, LineCounts>> line_counts_of(const Object& object, const LaunchCounts& launch);

}  // namespace ridge::emulated
