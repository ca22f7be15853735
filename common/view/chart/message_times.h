// Times of collectives against the bytes of a rank, with the line that each rung's points lie on: a delay, and a time for each
// byte. Both axes are logarithmic, so that such a line bends: level where delays decide, rising where bytes do.
#pragma once

#include <span>

#include "common/view/chart/ladder.h"

namespace ridge::chart {

/// One row per series, as many per rung as there are sizes. Rows whose problem names no delay of a link are left out. A
/// rung at three sizes or more has a line (stats::fit_line()), whose figures stand in the table.
ChartModel message_times_chart(std::span<const LadderRow> rows);

}  // namespace ridge::chart
