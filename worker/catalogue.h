// The rungs this worker knows: what registered itself, and what its sources name but this build does
// not hold, each with whether it can run here and why not.
#pragma once

#include "worker/kinds/rung.h"

namespace ridge::worker {

/// In the order of their ids, as they can run on `machine`.
Rungs catalogue(const Machine& machine);

}  // namespace ridge::worker
