// Speed against error: what a rung pays for its speed. Right of the gate nothing has a speed.
#pragma once

#include <span>
#include <string>

#include "common/view/chart/ladder.h"

namespace ridge::chart {

/// x: NMSE against float64, with the gate's limits as lines; y: FLOP/s. An exact rung stands at the
/// left edge and says so. Rows of one kernel at several sizes are joined. What is judged by `task_metric` in place
/// of an error is left out: the frontier has it (frontier.h).
ChartModel speed_error_chart(std::span<const LadderRow> rows, const std::string& title = {},
                             const std::string& task_metric = {});

}  // namespace ridge::chart
