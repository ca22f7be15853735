// ridge: flags=-O2
//
// Idea      Multiply-adds in what every CPU of this architecture has: 4-wide vectors, a multiply and
//           an add (fused where the base instruction set fuses). 12 chains, four times over.
// Changed   GCC's vector type instead of intrinsics: the same file builds on other architectures.
// Limits    On x86-64 twice the instructions of fma_avx2 on half the width.

namespace ridge {
typedef float Vec __attribute__((vector_size(16)));
static inline Vec fma(Vec a, Vec v, Vec b) {
  return a * v + b;
}
}  // namespace ridge

#include "kernels/probe/rungs/fma_chains.h"

namespace ridge {
RIDGE_KERNEL(probe, cpu, fma_portable, .launch = launch_fma);
}  // namespace ridge
