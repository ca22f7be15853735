// What was predicted, and the model's least time (a kernel's roofline, a pipeline's slowest stage), beside the bars of a ladder's time panel.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/view/chart/model.h"

namespace ridge::chart {

struct PredictedRow {
  int row = 0;  ///< of the ladder
  double predicted_s = 0;
  std::optional<double> least_s{};  ///< the model's; empty: none, or not revealed yet
  std::string note{};               ///< full sentences, added to the row's tooltip
  std::string draft{};  ///< as said, not locked yet: then a bar, where there is no other
  bool is_elsewhere = false;  ///< the row's bar is of other parameters: it refutes no model
};

/// Into a model of ladder_chart(): hollow diamonds (at the end of a dashed bar while nothing was measured), and
/// triangles for the model's bound.
void add_predictions(ChartModel* ladder, std::span<const PredictedRow> rows);

}  // namespace ridge::chart
