// 16-bit floating-point numbers: rounding from fp32 to nearest, ties to even, and back, and the arithmetic that
// <cuda_fp16.h> and <cuda_bf16.h> share. An operation is one of fp32, rounded afterwards, which gives what a single rounding
// gives; a fused multiply-add may differ in rare cases. A conversion is no arithmetic: it is not counted, and its body is not
// instrumented.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "worker/emulated/device/hooks.h"
#include "worker/emulated/device/vectors.h"

namespace ridge::emulated {

/// IEEE 754 binary16, by the compiler's own type: with denormal numbers and infinities.
struct Binary16 {
  RIDGE_UNTRACED static uint16_t bits_of(float x) {
    return std::bit_cast<uint16_t>(static_cast<_Float16>(x));
  }
  RIDGE_UNTRACED static float value_of(uint16_t bits) {
    return static_cast<float>(std::bit_cast<_Float16>(bits));
  }
};

/// The upper half of an fp32 number.
struct Brain16 {
  RIDGE_UNTRACED static uint16_t bits_of(float x) {
    const auto word = std::bit_cast<uint32_t>(x);
    const bool is_nan = (word & 0x7fffffffu) > 0x7f800000u;
    if (is_nan) return 0x7fff;
    // The lower half carries where it exceeds half a step, or equals it and the last bit is odd.
    const uint32_t is_odd = word >> 16 & 1;
    return static_cast<uint16_t>((word + 0x7fffu + is_odd) >> 16);
  }
  RIDGE_UNTRACED static float value_of(uint16_t bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

template <class Format>
struct SmallFloat {
  uint16_t bits;

  SmallFloat() = default;
  template <class T>
  requires std::is_arithmetic_v<T> SmallFloat(T x) : bits(Format::bits_of(static_cast<float>(x))) {}
  operator float() const { return Format::value_of(bits); }

  // Both operands are of 16 bits: with a float as the other one a call is ambiguous, as with the toolkit's types.
  friend SmallFloat operator+(const SmallFloat& a, const SmallFloat& b) {
    return float(a) + float(b);
  }
  friend SmallFloat operator-(const SmallFloat& a, const SmallFloat& b) {
    return float(a) - float(b);
  }
  friend SmallFloat operator*(const SmallFloat& a, const SmallFloat& b) {
    return float(a) * float(b);
  }
  friend SmallFloat operator/(const SmallFloat& a, const SmallFloat& b) {
    return float(a) / float(b);
  }
  friend SmallFloat operator-(const SmallFloat& a) { return -float(a); }
  friend bool operator==(const SmallFloat& a, const SmallFloat& b) { return float(a) == float(b); }
  friend auto operator<=>(const SmallFloat& a, const SmallFloat& b) {
    return float(a) <=> float(b);
  }
  SmallFloat& operator+=(const SmallFloat& o) { return *this = *this + o; }
  SmallFloat& operator-=(const SmallFloat& o) { return *this = *this - o; }
  SmallFloat& operator*=(const SmallFloat& o) { return *this = *this * o; }
  SmallFloat& operator/=(const SmallFloat& o) { return *this = *this / o; }
};

/// Copied by one access of four bytes, as a GPU copies it.
template <class Format>
struct alignas(4) SmallFloat2 {
  using Number = SmallFloat<Format>;
  Number x, y;

  SmallFloat2() = default;
  SmallFloat2(const Number& a, const Number& b) : x(a), y(b) {}
  SmallFloat2(const SmallFloat2& o) { *this = o; }
  SmallFloat2& operator=(const SmallFloat2& o) {
    *reinterpret_cast<Word4*>(this) = *reinterpret_cast<const Word4*>(&o);
    return *this;
  }
  friend SmallFloat2 operator+(const SmallFloat2& a, const SmallFloat2& b) {
    return {a.x + b.x, a.y + b.y};
  }
  friend SmallFloat2 operator-(const SmallFloat2& a, const SmallFloat2& b) {
    return {a.x - b.x, a.y - b.y};
  }
  friend SmallFloat2 operator*(const SmallFloat2& a, const SmallFloat2& b) {
    return {a.x * b.x, a.y * b.y};
  }
};

}  // namespace ridge::emulated

#define RIDGE_SMALL_OPERATION(name, sign)                                     \
  template <class Format>                                                     \
  ::ridge::emulated::SmallFloat<Format> __h##name(                            \
      const ::ridge::emulated::SmallFloat<Format>& a,                         \
      const std::type_identity_t<::ridge::emulated::SmallFloat<Format>>& b) { \
    return a sign b;                                                          \
  }                                                                           \
  template <class Format>                                                     \
  ::ridge::emulated::SmallFloat2<Format> __h##name##2(                        \
      const ::ridge::emulated::SmallFloat2<Format>& a,                        \
      const ::ridge::emulated::SmallFloat2<Format>& b) {                      \
    return a sign b;                                                          \
  }
RIDGE_SMALL_OPERATION(add, +)
RIDGE_SMALL_OPERATION(sub, -)
RIDGE_SMALL_OPERATION(mul, *)
#undef RIDGE_SMALL_OPERATION

template <class Format>
::ridge::emulated::SmallFloat<Format> __hfma(const ::ridge::emulated::SmallFloat<Format>& a,
                                             const ::ridge::emulated::SmallFloat<Format>& b,
                                             const ::ridge::emulated::SmallFloat<Format>& c) {
  return fmaf(a, b, c);
}
template <class Format>
::ridge::emulated::SmallFloat2<Format> __hfma2(const ::ridge::emulated::SmallFloat2<Format>& a,
                                               const ::ridge::emulated::SmallFloat2<Format>& b,
                                               const ::ridge::emulated::SmallFloat2<Format>& c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
template <class Format>
float __low2float(const ::ridge::emulated::SmallFloat2<Format>& pair) {
  return pair.x;
}
template <class Format>
float __high2float(const ::ridge::emulated::SmallFloat2<Format>& pair) {
  return pair.y;
}
