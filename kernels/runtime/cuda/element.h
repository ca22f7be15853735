// The numbers of GPU kernels: 16-bit floating point, and the step from the data type that is asked for to the element
// type of a kernel template.
//
// 16 bits have as much as kernels here do with them: rounding from fp32 to nearest, ties to even, and back.
// cuda_fp16.h and cuda_bf16.h can do everything, and each save of an edited rung would wait for them: nvcc 13.0 takes
// 0.8 s for wgmma_tma in bf16 without them, 1.2 s with them (CPU time, Zen 4), and makes the same machine code.
#pragma once

#include <cstdint>

#include "common/harness/kernel/kernel.h"

namespace ridge {

// From the data type that is asked for to the element type of a kernel template. A learner's edit is
// built for one data type (worker/edit/build.h says which: -DRIDGE_ONLY_DTYPE=bf16), so that a save does not
// wait for kernels that it does not run: of five types of a wgmma rung they are 0.85 of 2.6 s.

/// The data type whose element this is.
template <typename Element>
constexpr DType kTypeOf = Element::kType;
template <>
inline constexpr DType kTypeOf<float> = DType::fp32;

#ifdef RIDGE_ONLY_DTYPE
constexpr bool is_built(DType type) {
  return type == DType::RIDGE_ONLY_DTYPE;
}
#define RIDGE_WORDS_OF(text) #text
#define RIDGE_WORDS(text) RIDGE_WORDS_OF(text)
constexpr const char* kNotBuilt = "this edit was built for " RIDGE_WORDS(RIDGE_ONLY_DTYPE) " only";
#undef RIDGE_WORDS
#undef RIDGE_WORDS_OF
#else
constexpr bool is_built(DType) {
  return true;
}
constexpr const char* kNotBuilt = "not a data type of this rung";
#endif

/// Calls `run(Element{})` of that of the elements which `dtype` names.
template <typename Element, typename... Others, typename Run>
Status with_element(DType dtype, Run run) {
  if constexpr (is_built(kTypeOf<Element>)) {
    if (dtype == kTypeOf<Element>) return run(Element{});
  }
  if constexpr (sizeof...(Others) > 0) {
    return with_element<Others...>(dtype, run);
  } else {
    return {kNotBuilt, "with_element", __FILE__, __LINE__, false};
  }
}

}  // namespace ridge

#ifdef __CUDACC__  // a host compiler sees the choice of types alone
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
__device__ inline float2 unpack_pair(Bfloat, uint32_t pair) {
  return make_float2(__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000u));
}
__device__ inline float2 unpack_pair(Half, uint32_t pair) {
  float2 two;
  asm("{.reg .f16 low, high;\n\t"
      "mov.b32 {low, high}, %2;\n\t"
      "cvt.f32.f16 %0, low;\n\t"
      "cvt.f32.f16 %1, high;}"
      : "=f"(two.x), "=f"(two.y)
      : "r"(pair));
  return two;
}

}  // namespace ridge::device
#endif
