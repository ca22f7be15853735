// A plot whose points all stand above one another, as rows: each with its whole name and its figure, which a column of
// points has no room for.
#pragma once

#include "common/view/chart/model.h"

namespace ridge::chart::parts {

/// Curves become rows in their order, level guides become lines across them; legend, table and words stay. `metric`: key
/// into assets/metrics.json.
void put_in_rows(const std::string& metric, ChartModel* model);

}  // namespace ridge::chart::parts
