// Element types for kernels on the CUDA cores: read as fp32, rounded once when written.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/device/check.h"
#include "kernels/device/with_element.h"

namespace ridge {

template <>
inline constexpr DType kTypeOf<__nv_bfloat16> = DType::bf16;
template <>
inline constexpr DType kTypeOf<__half> = DType::fp16;

/// Calls `run(float{})`, `run(__nv_bfloat16{})` or `run(__half{})`.
template <typename Run>
Status with_cuda_element(DType dtype, Run run) {
  return with_element<float, __nv_bfloat16, __half>(dtype, run);
}

namespace device {

__device__ inline float to_float(float x) {
  return x;
}
__device__ inline float to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
__device__ inline float to_float(__half x) {
  return __half2float(x);
}

template <typename T>
__device__ inline T from_float(float x) {
  return static_cast<T>(x);
}

}  // namespace device
}  // namespace ridge
