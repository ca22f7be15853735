// What else a run measured than its report is about: the ladders of its other labs and sizes, and a learner's own pairs.
#pragma once

#include "common/record/run.h"
#include "common/view/report/report.h"
#include "labs/lab.h"

namespace ridge::app {

/// Adds to the report of `lab` in `run`, where there is any: to page 1 a line for each, to the appendix its words and its
/// chart, as a report of it would have them. `only`: the parameters that the report is of.
void add_elsewhere(const Run& run, const Lab& lab, const Params& only, report::Report* report);

}  // namespace ridge::app
