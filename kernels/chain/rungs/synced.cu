// ridge: arch=75
//
// Idea      A kernel for each operation, and a wait for each: as a debugger, a print or a careless .item() in
//           a training loop makes it.
// Limits    The way to the GPU and back for every step: about 10 us each on an H200 for a small kernel.
// Look at   us a node: time per call over 6 x layers.
// Source    CUDA C++ Best Practices Guide, "Synchronization".
#include "common/harness/kernel/cuda_check.h"
#include "kernels/chain/rungs/separate_launches.h"

namespace {

using namespace ridge;

Status launch(const Launch& launch) {
  return launch_steps<false>(launch, static_cast<float*>(launch.plan_state), [&]() -> Status {
    RIDGE_CUDA_CHECK(cudaStreamSynchronize(static_cast<cudaStream_t>(launch.stream)));
    return {};
  });
}

}  // namespace

RIDGE_KERNEL(chain, cuda, synced, .may_sync = true, .prepare = ridge::prepare_statistics,
             .launch = launch);
