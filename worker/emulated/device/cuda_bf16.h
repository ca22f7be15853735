// Stands in for the toolkit's header where device code is emulated: bfloat16 numbers, and what kernels do with them most.
// fp32 arithmetic rounded to 16 bits (small_floats.h).
#pragma once

#include "worker/emulated/device/cuda_runtime.h"
#include "worker/emulated/device/small_floats.h"

using __nv_bfloat16 = ridge::emulated::SmallFloat<ridge::emulated::Brain16>;
using __nv_bfloat162 = ridge::emulated::SmallFloat2<ridge::emulated::Brain16>;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

inline __nv_bfloat16 __float2bfloat16(float x) {
  return x;
}
inline __nv_bfloat16 __float2bfloat16_rn(float x) {
  return x;
}
inline float __bfloat162float(__nv_bfloat16 x) {
  return x;
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) {
  return x.bits;
}
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return {a, b};
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) {
  return {x, x};
}
inline __nv_bfloat162 __float2bfloat162_rn(float x) {
  return {x, x};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return {a, b};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 pair) {
  return {pair.x, pair.y};
}
inline float2 __bfloat1622float2(const __nv_bfloat162& pair) {
  return {pair.x, pair.y};
}
inline __nv_bfloat16 __low2bfloat16(const __nv_bfloat162& pair) {
  return pair.x;
}
inline __nv_bfloat16 __high2bfloat16(const __nv_bfloat162& pair) {
  return pair.y;
}
