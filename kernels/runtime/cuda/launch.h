// Launches that overlap.
#pragma once

#include "common/harness/kernel/cuda_check.h"

namespace ridge {

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

}  // namespace ridge
