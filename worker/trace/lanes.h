// Lanes of a Hopper kernel's warps (common/record/lanes.h): one checked call of the rung's copy with clock stamps
// (common/harness/kernel/stamps.h), and what the stamps cost, measured in turns with the rung itself.
#pragma once

#include "common/core/result.h"
#include "common/harness/kernel/family.h"
#include "common/harness/kernel/stamps.h"
#include "common/harness/measure/device.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/observer.h"
#include "common/record/inspection.h"

namespace ridge::worker {

/// The lanes of a ring after a call. Error unavailable: no block of that SM left stamps.
Result<KernelLanes> lanes_of(const StampRing& ring);
/// Cuts the spans off where they would not fit one line.
void fit_to_line(KernelLanes* lanes);

/// Why there are no lanes of this rung here, whatever is asked; empty: there can be.
std::string no_lanes_of(const KernelInfo& rung);

/// `given`: what is left out is of a size with several tiles for each SM. Errors: unavailable, where this build or machine
/// cannot; invalid, where the stamped call fails its check; cancelled.
Result<Inspection> look_at_lanes(const KernelInfo& rung, const FamilyDesc& family,
                                 const Params& given, measure::Bench* bench, measure::Device* gpu,
                                 measure::Observer* observer);

}  // namespace ridge::worker
