// ridge: isa=avx2 flags=-O3
//
// fp32 in memory, in vectors of eight.
namespace ridge {

typedef float Item;
static inline float read(Item x) {
  return x;
}
static inline Item write(float x) {
  return x;
}

}  // namespace ridge

#include "kernels/mixed/ops_body.h"

namespace ridge {

RIDGE_MIXED_OPS(mixed_ops_avx2, DType::fp32)

}  // namespace ridge
