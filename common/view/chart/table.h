// The figures behind a chart as a table: the one its builder wrote, or, of rows and panels, each mark
// with its interval in the axis's unit. For the screen, and as text for a spreadsheet.
#pragma once

#include <string>

#include "common/view/chart/model.h"

namespace ridge::chart {

/// One line per row of the chart, a column per panel and, where marks of it have intervals, their ends.
/// What is missing says why. Empty only where the chart has nothing at all to show.
ChartTable table_of(const ChartModel& model);

/// RFC 4180, one header line. Figures lose the spaces between their thousands.
std::string to_csv(const ChartTable& table);

}  // namespace ridge::chart
