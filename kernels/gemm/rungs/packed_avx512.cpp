// ridge: isa=avx512f flags=-O2
//
// Idea      The same tile in AVX-512's words: 16 lanes, 32 registers, and a mask for every edge.
// Changed   Only what a vector is. 32 registers hold 14 x 32 sums: 28 vectors, two of B, and for 28
//           multiply-adds only 16 loads, where the AVX2 tile has 8 for 12.
// Limits    The FMA units. Where a 512-bit multiply-add takes both 256-bit halves (Zen 4), the ceiling
//           is AVX2's and only overhead can shrink; where it does not, it doubles.
// Look at   The ceiling in the machine screen before predicting: width is not speed.
// Source    Tile shape: 28 + 2 + 1 of 32 registers; the rest as in packed.
#include <immintrin.h>

#include <stdint.h>

namespace ridge {

typedef __m512 Vec;
typedef __mmask16 Mask;
enum { kRows = 14 };

static inline Vec broadcast(const float* p) {
  return _mm512_set1_ps(*p);
}
static inline Vec fma(Vec s, Vec v, Vec acc) {
  return _mm512_fmadd_ps(s, v, acc);
}
static inline Vec load(const float* p) {
  return _mm512_loadu_ps(p);
}
static inline void store(float* p, Vec v) {
  _mm512_storeu_ps(p, v);
}
static inline Mask mask(int lanes) {
  return (Mask)(lanes >= 16 ? 0xffff : lanes <= 0 ? 0 : (1 << lanes) - 1);
}
static inline Vec load_some(Mask mask, const float* p) {
  return _mm512_maskz_loadu_ps(mask, p);
}
static inline void store_some(Mask mask, float* p, Vec v) {
  _mm512_mask_storeu_ps(p, mask, v);
}

/// One step of k: `rows` elements of a column of A, each times two vectors of a row of B (one, if not `wide`).
template <int rows, bool wide>
static inline __attribute__((always_inline)) void multiply_step(const float* a, int64_t a_stride,
                                                                Vec left, Vec right,
                                                                Vec (&acc)[2][rows]) {
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i) {
    const Vec s = broadcast(a + i * a_stride);
    acc[0][i] = fma(s, left, acc[0][i]);
    if (wide) acc[1][i] = fma(s, right, acc[1][i]);
  }
}

}  // namespace ridge

#include "kernels/gemm/rungs/panel_tile.h"

namespace ridge {

extern const PanelKernel gemm_panels_avx512;
const PanelKernel gemm_panels_avx512 = kFp32Panels;

static Status prepare(const Shape& shape, Plan* plan) {
  return panel_prepare(&gemm_panels_avx512, shape, 1, plan);
}

static Status launch(const Launch& launch) {
  return panel_launch(&gemm_panels_avx512, launch);
}

RIDGE_KERNEL(gemm, cpu, packed_avx512, .prepare = prepare, .launch = launch);

}  // namespace ridge
