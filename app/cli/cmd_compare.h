// A comparison of rungs in interleaved pairs: 'ridgepoint compare', and the check of an exercise.
#pragma once

#include "app/cli/driver.h"

namespace ridge::app {

/// Compares, prints the result and returns the exit code.
int cmd_compare(const CommonOptions& common, const MeasureOptions& options);

}  // namespace ridge::app
