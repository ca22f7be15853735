// A kernel that makes a step for many sequences, with a queue before it: each step of the simulation is one real
// call, of as many sequences as are being served, each with as many keys as it has by then.
#pragma once

#include "common/harness/kernel/family.h"
#include "common/harness/measure/device.h"
#include "common/harness/measure/observer.h"
#include "common/record/serving.h"

namespace ridge::measure {

/// The step is checked against float64 first, with the batch full. Error unavailable: the family has no step
/// (FamilyDesc::step), or the cache does not fit; invalid: the output is wrong.
Result<Serving> serve(Device* device, const KernelDesc& kernel, const Params& params,
                      const ServeAsked& asked, Observer* observer);

}  // namespace ridge::measure
