// Inside of build_report(): what a reader of page 1 has to beware of.
#pragma once

#include <vector>

#include "common/view/report/climb.h"

namespace ridge::report {

/// The gravest first: the last make way where page 1 has no room (sheet.h). `pairs`: the comparisons that page 1 shows.
Section caveats_section(const Material& material, const Climb& climb,
                        const std::vector<const Claim*>& pairs);

}  // namespace ridge::report
