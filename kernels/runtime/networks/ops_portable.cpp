// ridge: flags=-O3,-fno-trapping-math
//
// fp32 in memory, for any CPU of this architecture.
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

typedef float Vec __attribute__((vector_size(16)));
typedef Vec Packed;
enum { kRows = 6, kLanes = 4 };
static inline Packed broadcast(const char* p) {
  const float x = *(const float*)p;
  return Packed{x, x, x, x};
}
static inline Packed load(const char* p) {
  Packed v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
static inline Vec fma(Packed s, Packed v, Vec sum) {
  return sum + s * v;
}

}  // namespace ridge

#include "kernels/runtime/networks/ops_body.h"

namespace ridge {

RIDGE_MIXED_OPS(mixed_ops_portable)

}  // namespace ridge
