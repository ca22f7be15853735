// Page 1 of a report is one sheet of paper: what its words and charts take of it, and what has to make way.
#pragma once

#include <optional>

#include "common/view/chart/model.h"
#include "common/view/report/report.h"

namespace ridge::report {

/// Whether page 1 is one sheet of paper: else what follows it goes on where it ends.
bool fits_one_sheet(const Report& report);
/// Where it does not fit, the caveats that matter least go to the appendix, the last first. Calling it again after something
/// was added to page 1 is right.
void fit_one_sheet(Report* report);
/// How high a chart may be on page 1, in its own pixels. Absent: as high as it likes.
std::optional<float> front_height(const Report& report, const Section& section);
/// A chart of page 1, no higher than `most`.
chart::Scene front_scene(const chart::ChartModel& model, float most);

}  // namespace ridge::report
