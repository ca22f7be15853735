// The gradients that flow back in a training: how their magnitudes are spread, one line a training, with the
// floor of fp16. What lies left of it is lost where fp16 holds them.
#pragma once

#include <span>
#include <string>

#include "common/view/chart/ladder.h"

namespace ridge::chart {

/// From `gradient_2^E` (share of the gradients of magnitude 2^E to 2^(E+1)) and `gradient_zero` of the last
/// point of each row's curve that has them. Rows without any are left out.
ChartModel gradient_chart(std::span<const LadderRow> rows, const std::string& title = "");
/// Whether some point of its curve has gradients.
bool has_gradients(const Series& series);

}  // namespace ridge::chart
