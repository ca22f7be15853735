// What share of the calls was at most as long as a time: the empirical distribution function of each
// side, in steps, without a choice of bins. The quantiles are read straight off it.
#pragma once

#include <span>
#include <string>

#include "common/view/chart/distribution.h"

namespace ridge::chart {

/// The rows of distribution_chart(); those without samples are left out and named.
ChartModel ecdf_chart(std::span<const DistributionRow> rows, const std::string& title = {});

}  // namespace ridge::chart
