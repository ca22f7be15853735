// ridge: flags=-O3
//
// fp32 in memory, for any CPU of this architecture.
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

RIDGE_MIXED_OPS(mixed_ops_portable, DType::fp32)

}  // namespace ridge
