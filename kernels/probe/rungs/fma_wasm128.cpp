// ridge: isa=wasm128 flags=-O2
//
// Idea      Multiply-adds in WebAssembly's 4-wide vectors, a multiply and an add. 12 chains, four times over.
// Changed   Only what a vector is made for: without its flag the same text is scalar code.
// Limits    The browser's compiler makes the instructions; a fused multiply-add is not among WebAssembly's yet. The ceiling
//           of what a page can reach, not of the core.

namespace ridge {
typedef float Vec __attribute__((vector_size(16)));
static inline Vec fma(Vec a, Vec v, Vec b) {
  return a * v + b;
}
}  // namespace ridge

#include "kernels/probe/rungs/fma_chains.h"

namespace ridge {
RIDGE_KERNEL(probe, cpu, fma_wasm128, .launch = launch_fma);
}  // namespace ridge
