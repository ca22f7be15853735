// ridge: isa=avx512f flags=-O2
//
// Idea      The most multiply-adds a core can do: 12 independent chains of 16-wide FMA. One chain
//           waits 4 cycles for itself; two units take 8 chains to fill, 12 leave room.
// Limits    The FMA units, and the clock under full AVX-512 load.
#include <immintrin.h>

namespace ridge {
typedef __m512 Vec;
static inline Vec fma(Vec a, Vec v, Vec b) {
  return _mm512_fmadd_ps(a, v, b);
}
}  // namespace ridge

#include "kernels/probe/rungs/fma_chains.h"

namespace ridge {
RIDGE_KERNEL(probe, cpu, fma_avx512, .launch = launch_fma);
}  // namespace ridge
