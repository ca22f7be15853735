// The rungs this worker knows: what registered itself, and what its sources name but this build does
// not hold, each with whether it can run here and why not.
#pragma once

#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge::worker {

/// In the order of their ids. `gpus` and `no_gpu_reason` as measure::list_gpus() gives them.
std::vector<KernelInfo> catalogue(const std::vector<GpuInfo>& gpus,
                                  const std::string& no_gpu_reason);

}  // namespace ridge::worker
