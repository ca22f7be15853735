// Inside of build_report(): what a reader of page 1 has to beware of.
#pragma once

#include <vector>

#include "common/view/report/climb.h"

namespace ridge::report {

/// `pairs`: the comparisons that page 1 shows; `has_unpaired`: its ladder has a ratio of two rungs timed alone.
Section caveats_section(const Material& material, const Climb& climb,
                        const std::vector<const Claim*>& pairs, bool has_unpaired);

}  // namespace ridge::report
