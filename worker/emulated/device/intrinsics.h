// Arithmetic and loads that CUDA has as functions. Those that a GPU approximates (__expf, rsqrtf) are exact to a float
// here: an emulated result may be closer to the reference than the GPU's, never farther by their doing.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "worker/emulated/device/vectors.h"

template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

inline float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
inline float __expf(float x) {
  return expf(x);
}
inline float __logf(float x) {
  return logf(x);
}
inline float __fdividef(float a, float b) {
  return a / b;
}
inline float __frcp_rn(float x) {
  return 1.0f / x;
}
inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
inline float __saturatef(float x) {
  return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f;
}
inline uint32_t __float_as_uint(float x) {
  return std::bit_cast<uint32_t>(x);
}
inline int __float_as_int(float x) {
  return std::bit_cast<int>(x);
}
inline float __uint_as_float(uint32_t x) {
  return std::bit_cast<float>(x);
}
inline float __int_as_float(int x) {
  return std::bit_cast<float>(x);
}
inline int __popc(unsigned x) {
  return std::popcount(x);
}
inline int __clz(int x) {
  return std::countl_zero(static_cast<unsigned>(x));
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline unsigned __brev(unsigned x) {
  unsigned y = 0;
  for (int i = 0; i < 32; ++i) y |= (x >> i & 1) << (31 - i);
  return y;
}

/// Four bytes of the eight of (high, low), by the low three bits of each digit of `selector`.
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const uint64_t bytes = static_cast<uint64_t>(high) << 32 | low;
  unsigned chosen = 0;
  for (int i = 0; i < 4; ++i)
    chosen |= static_cast<unsigned>(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return chosen;
}

// Loads and stores with a hint to the caches: what is counted does not depend on it.
#define RIDGE_HINTED(name)                                      \
  template <class T>                                            \
  inline __attribute__((always_inline)) T name(const T* from) { \
    return *from;                                               \
  }
RIDGE_HINTED(__ldg)
RIDGE_HINTED(__ldcs)
RIDGE_HINTED(__ldcg)
RIDGE_HINTED(__ldca)
#undef RIDGE_HINTED
#define RIDGE_HINTED(name)                                                 \
  template <class T>                                                       \
  inline __attribute__((always_inline)) void name(T* to, const T& value) { \
    *to = value;                                                           \
  }
RIDGE_HINTED(__stcs)
RIDGE_HINTED(__stcg)
RIDGE_HINTED(__stwt)
#undef RIDGE_HINTED
