// Rows of dots on one logarithmic axis with the median of each: one rung on many machines, one person's predictions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/view/chart/model.h"

namespace ridge::chart {

struct DotRow {
  std::string label{}, sublabel{};
  std::vector<double> values{};  ///< those that are not above 0 have no dot
  std::string median_text{};     ///< beside the median
  std::string reason{};          ///< where there are no values: why
};

struct DotOptions {
  std::string id{}, title{}, subtitle{};
  std::string metric{};  ///< key into assets/metrics.json; may be empty
  std::string unit{};    ///< of the values, without prefix
  std::string one{};     ///< what 1 means, a rule across the rows: "as predicted"; empty: no rule
  std::string dots{};    ///< what a dot is: "a machine"
};

ChartModel dots_chart(std::span<const DotRow> rows, const DotOptions& options);

}  // namespace ridge::chart
