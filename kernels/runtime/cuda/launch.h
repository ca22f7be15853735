// What launchers share: how many blocks, and launches that overlap.
#pragma once

#include "kernels/runtime/cuda/check.h"

namespace ridge {

/// Blocks that can run at once where one fills an SM; at least 1.
inline int sm_count() {
  int device = 0, count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

/// Launches with programmatic dependent launch: the grid may start before the one ahead of it in
/// the stream has ended, and waits for that itself (cudaGridDependencySynchronize) before it
/// touches what that one reads or writes.
template <typename Argument>
Status launch_overlapped(void (*kernel)(Argument), int blocks, int threads, size_t shared_bytes,
                         const Launch& launch, const Argument& argument) {
  cudaLaunchAttribute overlap = {};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = static_cast<unsigned>(blocks);
  config.blockDim = static_cast<unsigned>(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = static_cast<cudaStream_t>(launch.stream);
  config.attrs = &overlap;
  config.numAttrs = 1;
  RIDGE_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, argument));
  return {};
}

namespace device {

__host__ __device__ constexpr int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

}  // namespace device
}  // namespace ridge
