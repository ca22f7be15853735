// The roofline: rate of computing against arithmetic intensity, under the ceilings measured on the
// same machine. Idea: Williams, Waterman and Patterson, "Roofline", CACM 52 (4), 2009.
#pragma once

#include <span>
#include <string>

#include "common/view/chart/ladder.h"

namespace ridge::chart {

/// x: FLOP over the bytes a call must move at least, both of the problem and not of the kernel, so
/// that rungs of one size and type share it. Roofs: every FLOP rate and every bandwidth that was
/// measured for the backend (datasheet figures dashed). A roofline belongs to one machine: of rows
/// from several, those are shown that share backend and ceilings with the selected one (with the
/// first that has a result otherwise); the others are counted in the legend. Rows of one kernel at
/// several sizes are joined.
ChartModel roofline_chart(std::span<const LadderRow> rows, const std::string& title = {});

}  // namespace ridge::chart
