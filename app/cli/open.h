// ridgepoint without a command.
#pragma once

#include "app/cli/cli.h"

namespace ridge::app {

/// Opens the window where there is a display. Else shows the saved run, or climbs the first lab's ladder in the
/// terminal and leaves a report. Returns the exit code.
int open(const CommonOptions& common);

}  // namespace ridge::app
