// 16-bit floating point of GPU kernels.
//
// 16 bits have as much as kernels here do with them: rounding from fp32 to nearest, ties to even, and back.
// cuda_fp16.h and cuda_bf16.h can do everything, and each save of an edited rung would wait for them: nvcc 13.0 takes
// 0.8 s for wgmma_tma in bf16 without them, 1.2 s with them (CPU time, Zen 4), and makes the same machine code.
#pragma once

#include <cstdint>

#include "common/harness/kernel/with_element.h"

namespace ridge {

struct Half {  ///< IEEE 754 binary16
  static constexpr DType kType = DType::fp16;
  uint16_t bits;
  Half() = default;
  __device__ explicit Half(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
  __device__ explicit operator float() const {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
  }
};

struct Bfloat {  ///< the upper half of an fp32 number
  static constexpr DType kType = DType::bf16;
  uint16_t bits;
  Bfloat() = default;
  __device__ explicit Bfloat(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
#else
    const uint32_t word = __float_as_uint(x), even = word >> 16 & 1;
    bits = static_cast<uint16_t>(x == x ? (word + 0x7fff + even) >> 16 : 0x7fff);
#endif
  }
  __device__ explicit operator float() const {
    return __uint_as_float(static_cast<uint32_t>(bits) << 16);
  }
};

}  // namespace ridge

namespace ridge::device {

/// Two neighbours of a row in one register, the first in the lower half.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ inline uint32_t pack_pair(Bfloat, float first, float second) {
  uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}
__device__ inline uint32_t pack_pair(Half, float first, float second) {
  uint32_t pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}
#else
template <typename Number>
__device__ inline uint32_t pack_pair(Number, float first, float second) {
  return Number(first).bits | static_cast<uint32_t>(Number(second).bits) << 16;
}
#endif

}  // namespace ridge::device
