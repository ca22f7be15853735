// ridge: isa=avx2 flags=-O2
//
// Idea      The same multiply-adds in 8-wide vectors: 12 independent chains, twice over, so that
//           every probe does the same work.
// Changed   Half the width of fma_avx512; 16 registers hold 12 chains and both factors.
// Limits    The FMA units. On a CPU without AVX-512 this is the compute ceiling.
#include <immintrin.h>

namespace ridge {
typedef __m256 Vec;
static inline Vec fma(Vec a, Vec v, Vec b) {
  return _mm256_fmadd_ps(a, v, b);
}
}  // namespace ridge

#include "kernels/probe/rungs/fma_chains.h"

namespace ridge {
RIDGE_KERNEL(probe, cpu, fma_avx2, .launch = launch_fma);
}  // namespace ridge
