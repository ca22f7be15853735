// What an emulated launch is counted by, line by line of the rung's own file.
#pragma once

#include <map>

#include "common/core/result.h"
#include "common/record/kernel_counts.h"
#include "worker/emulated/counts.h"
#include "worker/emulated/object.h"

namespace ridge::emulated {

/// By line, in order. Errors: as lines_of() and code_of_blocks().
Result<std::map<int, LineCounts>> line_counts_of(const Object& object, const LaunchCounts& launch);

}  // namespace ridge::emulated
