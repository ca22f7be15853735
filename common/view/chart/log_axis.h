// How far an axis reaches for its rows of figures.
#pragma once

#include "common/view/chart/model.h"

namespace ridge::chart {

/// Where a linear axis from zero ends: beyond all marks, and beyond their intervals as far as the longest bar keeps most
/// of its length. A longer whisker runs over the edge. Without marks: 0.
double axis_end(const std::vector<Mark>& marks);

/// Makes the panel's axis logarithmic and its bars dots, since such an axis has no zero that a bar could begin at. The
/// axis then holds all marks, and of their intervals what does not take the marks' room, with some air; a panel without marks keeps its range.
void put_on_log_axis(Panel* panel);

}  // namespace ridge::chart
