// What a GPU rung asks of the runtime. Errors: every call and every launch is checked, and the Status that goes back to
// the harness names the failing expression. And how many blocks run at once.
#pragma once

#include <cuda_runtime_api.h>

#include "common/harness/kernel/cuda_error.h"
#include "common/harness/kernel/kernel.h"

namespace ridge {

/// cudaSuccess is a good Status. An error that is not sticky is cleared, so that it cannot be blamed
/// on the next launch.
inline Status cuda_status(cudaError_t error, const char* expression, const char* file, int line) {
  if (error == cudaSuccess) return {};
  cudaGetLastError();
  return {cudaGetErrorString(error), expression, file, line, cuda_error_is_sticky(error)};
}

/// Blocks that can run at once where one fills an SM; at least 1.
inline int sm_count() {
  int device = 0, count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

}  // namespace ridge

/// In a function returning ridge::Status: returns at the first failing call.
#define RIDGE_CUDA_CHECK(call)                                              \
  do {                                                                      \
    if (const cudaError_t ridge_error = (call); ridge_error != cudaSuccess) \
      return ::ridge::cuda_status(ridge_error, #call, __FILE__, __LINE__);  \
  } while (false)

/// return RIDGE_CUDA_LAUNCHED(kernel);   as a launcher's last line: a launch has no return value.
#define RIDGE_CUDA_LAUNCHED(kernel) \
  ::ridge::cuda_status(cudaGetLastError(), "launch of " #kernel, __FILE__, __LINE__)
