// Stands in for the toolkit's header where device code is emulated: numbers of IEEE 754 binary16, and what kernels do with
// them most. fp32 arithmetic rounded to 16 bits (small_floats.h).
#pragma once

#include "worker/emulated/device/cuda_runtime.h"
#include "worker/emulated/device/small_floats.h"

using __half = ridge::emulated::SmallFloat<ridge::emulated::Binary16>;
using __half2 = ridge::emulated::SmallFloat2<ridge::emulated::Binary16>;
using half = __half;
using half2 = __half2;

inline __half __float2half(float x) {
  return x;
}
inline __half __float2half_rn(float x) {
  return x;
}
inline float __half2float(__half x) {
  return x;
}
inline unsigned short __half_as_ushort(__half x) {
  return x.bits;
}
inline __half2 __halves2half2(__half a, __half b) {
  return {a, b};
}
inline __half2 __half2half2(__half x) {
  return {x, x};
}
inline __half2 __float2half2_rn(float x) {
  return {x, x};
}
inline __half2 __floats2half2_rn(float a, float b) {
  return {a, b};
}
inline __half2 __float22half2_rn(float2 pair) {
  return {pair.x, pair.y};
}
inline float2 __half22float2(const __half2& pair) {
  return {pair.x, pair.y};
}
inline __half __low2half(const __half2& pair) {
  return pair.x;
}
inline __half __high2half(const __half2& pair) {
  return pair.y;
}
