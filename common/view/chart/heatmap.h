// Speed over two parameters: one rung, a cell for each pair of their values. What was not measured is
// empty and says why; what failed its check has no speed here either.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/view/chart/ladder.h"

namespace ridge::chart {

/// A pair of values; `row.series` null: not measured, `row.state` says why ("not run").
struct HeatCell {
  double x = 0, y = 0;
  LadderRow row{};
};

struct HeatmapOptions {
  std::string x_param{}, y_param{};  ///< as a reader calls them: "tile: rows", "CPU threads"
  std::string subject{};             ///< the rung: "packed, AVX2"
  std::string fixed{};               ///< the other parameters: "data type = fp32"; may be empty
};

/// FLOP/s where results have them, else the least bytes of a call over its time. Axes are logarithmic
/// where both parameters' values are above zero; a cell reaches half way to its neighbours.
ChartModel heatmap_chart(std::span<const HeatCell> cells, const HeatmapOptions& options);

}  // namespace ridge::chart
