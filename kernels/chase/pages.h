// The cycle laid out in memory: a line of 64 bytes each, on pages of 4 KiB or of 2 MiB.
#pragma once

#include "kernels/chase/chase.h"

namespace ridge {

/// What prepare() does: plan->state is word 0 of line 0. Refuses pages of 2 MiB that the system does not give.
Status lay_out_cycle(const Shape& shape, bool huge, Plan* plan);

}  // namespace ridge
