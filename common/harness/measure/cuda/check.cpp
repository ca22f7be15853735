#include "common/harness/measure/cuda/check.h"

#include <string>

#include "common/harness/kernel/cuda_error.h"

namespace ridge::measure {

Error cuda_error(cudaError_t error, const char* expression) {
  cudaGetLastError();
  Error result{ErrorCode::invalid, std::string(expression) + ": " + cudaGetErrorString(error),
               "CUDA", ""};
  if (cuda_error_is_sticky(error)) {
    result.code = ErrorCode::worker;
    result.hint = "the device is lost; the worker is started anew";
  } else if (error == cudaErrorMemoryAllocation) {
    result.code = ErrorCode::unavailable;
    result.hint = "choose a smaller problem, or free memory on the GPU";
  } else if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) {
    result.code = ErrorCode::unavailable;
  }
  return result;
}

}  // namespace ridge::measure
