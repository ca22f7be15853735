// CUDA errors as Result<>: the harness's twin of common/harness/kernel/cuda_check.h.
#pragma once

#include <cuda_runtime_api.h>

#include "common/core/result.h"

namespace ridge::measure {

/// ErrorCode::worker when the context is lost (the worker must say `fatal` and end), unavailable
/// when memory ran out, else invalid. Clears the error unless it is sticky.
Error cuda_error(cudaError_t error, const char* expression);

}  // namespace ridge::measure

/// In a function returning Result<>: returns at the first failing call, naming it.
#define RIDGE_CUDA_TRY(call)                                                \
  do {                                                                      \
    if (const cudaError_t ridge_error = (call); ridge_error != cudaSuccess) \
      return ::ridge::measure::cuda_error(ridge_error, #call);              \
  } while (false)
