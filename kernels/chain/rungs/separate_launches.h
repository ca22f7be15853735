// All steps of the chain, launched one after another on the launch's stream.
#pragma once

#include "common/harness/kernel/cuda_check.h"
#include "kernels/chain/rungs/steps.h"
#include "kernels/runtime/cuda/launch.h"

namespace ridge {

/// `overlapped`: the step may be launched while the one before it still runs, and waits for it itself.
template <int step, bool overlapped>
static __global__ void __launch_bounds__(kChainThreads) chain_step_kernel(ChainStep s) {
  __shared__ float slots[2][32];
#if __CUDA_ARCH__ >= 900
  if constexpr (overlapped) {
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
  }
#endif
  chain_step<step>(s, slots);
}

template <int step, bool overlapped>
Status launch_step(const Launch& launch, const ChainStep& s) {
  const int blocks = static_cast<int>(s.r.m < 65536 ? s.r.m : 65536);
  if constexpr (overlapped)
    return launch_overlapped(chain_step_kernel<step, true>, blocks, kChainThreads, 0, launch, s);
  chain_step_kernel<step, false><<<static_cast<unsigned>(blocks), kChainThreads, 0,
                                   static_cast<cudaStream_t>(launch.stream)>>>(s);
  return RIDGE_CUDA_LAUNCHED(chain_step_kernel);
}

/// after(status) once behind each step.
template <bool overlapped, class After>
Status launch_steps(const Launch& launch, float* statistics, const After& after) {
  ChainStep s = chain_of(launch, statistics);
  Status status;
  const auto run = [&](Status launched) {
    status = launched.ok() ? after() : launched;
    return status.ok();
  };
  for (int64_t layer = 0; layer < launch.shape.dim[kRowsLayers]; ++layer) {
    const bool done =
        run(launch_step<0, overlapped>(launch, s)) && run(launch_step<1, overlapped>(launch, s)) &&
        run(launch_step<2, overlapped>(launch, s)) && run(launch_step<3, overlapped>(launch, s)) &&
        run(launch_step<4, overlapped>(launch, s)) && run(launch_step<5, overlapped>(launch, s));
    if (!done) break;
    s.from = s.r.y;
  }
  return status;
}

/// The plan of the launching rungs: memory for the rows' statistics.
inline Status prepare_statistics(const Shape& shape, Plan* plan) {
  plan->workspace_bytes = statistics_bytes(shape);
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->state, plan->workspace_bytes));
  plan->release = [](void* state) { cudaFree(state); };
  return {};
}

}  // namespace ridge
