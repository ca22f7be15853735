// A report needs the lab's words, which common/ does not know.
#pragma once

#include "common/record/run.h"
#include "common/report/report.h"

namespace ridge::app {

/// Title, rung names and quality limit of the lab that the run's last request was about.
report::Options report_options(const Run& run);

}  // namespace ridge::app
