// Batch size against the steps to a target: whether twice the batch halves the steps, one line a training.
// Source: Shallue, Lee, Antognini, Sohl-Dickstein, Frostig, Dahl, Measuring the effects of data parallelism on neural
// network training, Journal of Machine Learning Research 20 (2019).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/view/chart/ladder.h"

namespace ridge::chart {

struct BatchOptions {
  std::string metric = "accuracy";    ///< of the checks and of the curve's points
  std::optional<double> target = {};  ///< of the metric; absent: usual_target()
};

/// What half of the trainings reached at least, rounded down to a hundredth; none where none was judged.
std::optional<double> usual_target(std::span<const LadderRow> rows, const std::string& metric);

/// Rows that only `batch` and `seed` tell apart are one line. A point is a batch size: the step of the first look that saw
/// the target, the median of the seeds, with a range from the look before it to the latest seed's. A batch size of which
/// a seed did not reach the target has no point; the table says how far it came. The dashed line has as many images at
/// each batch size as the smallest one took.
ChartModel batch_chart(std::span<const LadderRow> rows, const BatchOptions& options = {});

}  // namespace ridge::chart
