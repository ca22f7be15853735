// Speed against what the task is about: which rungs nobody beats at both, and which the gate refused.
#pragma once

#include <span>
#include <string>

#include "common/view/chart/ladder.h"

namespace ridge::chart {

struct FrontierOptions {
  std::string title{};
  std::string metric = "accuracy";  ///< a share that the checks have as a task metric
  std::string items = "items";      ///< what is counted a second
};

/// x: items (else calls) a second; y: the metric's difference to the baseline in points, with its interval
/// where seeds were paired (LadderRow::delta, see pair_seeds). Rows that differ in their seed alone are one
/// point, as fast as the median of its seeds (LadderRow::rates). The dashed line is the frontier: right of it and above it there is no rung. It goes by medians and
/// means. A rung that has no speed, or that the gate refused at any seed, has a line of the table and no point.
ChartModel frontier_chart(std::span<const LadderRow> rows, const FrontierOptions& options = {});

}  // namespace ridge::chart
