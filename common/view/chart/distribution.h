// Every sample of a series: dots, the box from first to third quartile, and the median with its
// interval. Outliers are drawn like all others, as crosses.
#pragma once

#include <span>
#include <string>

#include "common/record/types.h"
#include "common/view/chart/model.h"

namespace ridge::chart {

struct DistributionRow {
  std::string label{}, sublabel{};
  const Series* series = nullptr;
  bool is_baseline = false;
  const Stats* stats = nullptr;  ///< of what a running series has so far; null: the series' own
};

/// `latency`: the latency pass instead of the time per call.
ChartModel distribution_chart(std::span<const DistributionRow> rows, bool latency = false,
                              const std::string& title = {});

}  // namespace ridge::chart
