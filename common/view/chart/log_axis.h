// Rows of figures on a logarithmic axis.
#pragma once

#include "common/view/chart/model.h"

namespace ridge::chart {

/// Makes the panel's axis logarithmic and its bars dots, since such an axis has no zero that a bar could begin at. The
/// axis then holds all marks and their intervals, with some air; a panel without marks keeps its range.
void put_on_log_axis(Panel* panel);

}  // namespace ridge::chart
