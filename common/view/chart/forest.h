// The paired ratio forest: one row per comparison, its rounds as dots, the ratio with its sign-test
// interval, and the band of +-delta inside which a difference does not count.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/record/types.h"
#include "common/view/chart/model.h"

namespace ridge::chart {

struct ForestRow {
  std::string label{}, sublabel{};  ///< candidate; what it is compared with
  const Comparison* comparison = nullptr;
  std::vector<double> round_ratios{};  ///< t_baseline / t_candidate of each round; may be empty
  /// The verdict to print; a failed check overrides the comparison's own.
  Verdict verdict = Verdict::unresolved;
};

/// Rows that can still be read in one picture. A session of hours has hundreds of comparisons: the report's table has all.
inline constexpr size_t kMostForestRows = 40;

ChartModel forest_chart(std::span<const ForestRow> rows, const std::string& title = {});

}  // namespace ridge::chart
