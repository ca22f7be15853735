// ridge: isa=avx512bf16 flags=-O3
//
// bf16 in memory: the upper half of an fp32, rounded to nearest even as it is written.
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

}  // namespace ridge

#include "kernels/mixed/ops_body.h"

namespace ridge {

RIDGE_MIXED_OPS(mixed_ops_bf16, DType::bf16)

}  // namespace ridge
