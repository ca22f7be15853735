// ridge: isa=avx2 flags=-O3,-fno-trapping-math
//
// fp32 in memory, in vectors of eight.
#include <immintrin.h>
#include <stdint.h>

namespace ridge {

typedef float Item;
static inline float read(Item x) {
  return x;
}
static inline Item write(float x) {
  return x;
}
static inline uint32_t join(Item x, Item) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bits;
}

typedef __m256 Vec, Packed;
enum { kRows = 6, kLanes = 8 };
static inline Packed broadcast(const char* p) {
  return _mm256_broadcast_ss((const float*)p);
}
static inline Packed load(const char* p) {
  return _mm256_loadu_ps((const float*)p);
}
static inline Vec fma(Packed s, Packed v, Vec sum) {
  return _mm256_fmadd_ps(s, v, sum);
}

}  // namespace ridge

#include "kernels/runtime/networks/ops_body.h"

namespace ridge {

RIDGE_MIXED_OPS(mixed_ops_avx2)

}  // namespace ridge
