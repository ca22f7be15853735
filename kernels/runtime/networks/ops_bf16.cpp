// ridge: isa=avx512bf16 flags=-O3,-fno-trapping-math
//
// bf16 in memory: the upper half of an fp32, rounded to nearest even as it is written. An item is two of them,
// which vdpbf16ps multiplies and adds to one sum.
#include <immintrin.h>
#include <stdint.h>

namespace ridge {

typedef uint16_t Item;
static inline float read(Item x) {
  const uint32_t bits = (uint32_t)x << 16;
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}
static inline Item write(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (Item)(x != x ? 0x7fc0 : rounded);
}
static inline uint32_t join(Item low, Item high) {
  return (uint32_t)high << 16 | low;
}

typedef __m512 Vec;
typedef __m512bh Packed;
enum { kRows = 14, kLanes = 16 };
static inline Packed broadcast(const char* p) {
  int32_t pair;
  __builtin_memcpy(&pair, p, sizeof(pair));
  return (Packed)_mm512_set1_epi32(pair);
}
static inline Packed load(const char* p) {
  return (Packed)_mm512_loadu_si512(p);
}
static inline Vec fma(Packed s, Packed v, Vec sum) {
  return _mm512_dpbf16_ps(sum, s, v);
}

}  // namespace ridge

#include "kernels/runtime/networks/ops_body.h"

namespace ridge {

RIDGE_MIXED_OPS(mixed_ops_bf16)

}  // namespace ridge
