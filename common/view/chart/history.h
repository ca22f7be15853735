// A rung's results over time: each with its interval, a line for each level, and a mark where the level changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/view/chart/model.h"

namespace ridge::chart {

struct HistoryDatum {
  double time_ns = 0;
  std::optional<Interval> ci_ns{};
  std::string when{};  ///< "2026-11-26 23:14"
  std::string note{};  ///< beside the time in the tooltip: "commit 1a2b3c, GNU 12.2.0"
  bool disturbed = false;
};

struct HistoryMark {
  size_t first = 0;     ///< index of the first result at the new level
  double level_ns = 0;  ///< after it
  std::string label{};  ///< "+3.0 %"
  std::string note{};   ///< what differs
  bool slower = false;
};

struct HistoryInput {
  std::string title{}, subtitle{};
  std::vector<HistoryDatum> data{};  ///< in the order of time
  double first_level_ns = 0;         ///< before the first mark
  std::vector<HistoryMark> marks{};
  std::string too_few{};  ///< why no change was looked for
};

/// The x axis counts results, not days: most days have none. Without data a chart that says what to do.
ChartModel history_chart(const HistoryInput& input);

}  // namespace ridge::chart
