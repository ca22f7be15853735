// Hardware counters of an NVIDIA GPU through CUPTI's range profiler, under the names that Nsight
// Compute uses (CUPTI user's guide, "Range Profiling API"). libcupti is loaded when first asked for;
// from then on every launch of this process is dearer (0.7 us on an H200), so ask in a worker of
// its own.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/record/types.h"

namespace ridge::measure {

/// The metrics that are asked for; a GPU of another generation may not know all.
const std::vector<std::string>& gpu_metrics();
/// Those of gpu_metrics() that this kind of GPU has ("GH100"); needs libcupti but no GPU.
Result<std::vector<std::string>> known_metrics(const std::string& chip);

/// Runs `work` once for each pass that the metrics need (13 or so), and returns their values over
/// one such run. `work` queues on the device's streams; it is waited for. Caches are as the run
/// before left them. unavailable: no libcupti, or refused, with the remedy as the hint.
Result<std::vector<Counter>> count_gpu(int device, const std::function<Result<void>()>& work);

}  // namespace ridge::measure
