// Element types for kernels on the CUDA cores: read as fp32, rounded once when written.
#pragma once

#include "kernels/runtime/cuda/check.h"
#include "kernels/runtime/cuda/element.h"

namespace ridge {

/// Calls `run(float{})`, `run(Bfloat{})` or `run(Half{})`.
template <typename Run>
Status with_cuda_element(DType dtype, Run run) {
  return with_element<float, Bfloat, Half>(dtype, run);
}

namespace device {

__device__ inline float to_float(float x) {
  return x;
}
__device__ inline float to_float(Bfloat x) {
  return static_cast<float>(x);
}
__device__ inline float to_float(Half x) {
  return static_cast<float>(x);
}

template <typename T>
__device__ inline T from_float(float x) {
  return static_cast<T>(x);
}

}  // namespace device
}  // namespace ridge
