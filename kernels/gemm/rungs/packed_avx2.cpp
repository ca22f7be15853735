// ridge: isa=avx2 flags=-O2
//
// Idea      The same tile in AVX2's words: 8 lanes, and a multiply-add in one instruction.
// Changed   Only what a vector is (compare the diff). 16 registers hold 6 x 16 sums: 12 vectors, two
//           of B, one element of A in all lanes. 12 chains fill two units that take 4 cycles each.
// Limits    The FMA units: 12 multiply-adds wait for 8 loads in each step, so loads are not the wall.
// Look at   The share of the FMA ceiling. What is missing there is copying, edges, and C itself.
// Source    Van Zee and van de Geijn, BLIS (TOMS 2015), whose Haswell tile has this shape.
#include <immintrin.h>
#include <stdint.h>

namespace ridge {

typedef __m256 Vec;
typedef __m256i Mask;
enum { kRows = 6 };

static inline Vec broadcast(const float* p) {
  return _mm256_broadcast_ss(p);
}
static inline Vec fma(Vec s, Vec v, Vec acc) {
  return _mm256_fmadd_ps(s, v, acc);
}
static inline Vec load(const float* p) {
  return _mm256_loadu_ps(p);
}
static inline void store(float* p, Vec v) {
  _mm256_storeu_ps(p, v);
}
static inline Mask mask(int lanes) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(lanes), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
static inline Vec load_some(Mask mask, const float* p) {
  return _mm256_maskload_ps(p, mask);
}
static inline void store_some(Mask mask, float* p, Vec v) {
  _mm256_maskstore_ps(p, mask, v);
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

extern const PanelKernel gemm_panels_avx2;
const PanelKernel gemm_panels_avx2 = kFp32Panels;

static Status prepare(const Shape& shape, Plan* plan) {
  return panel_prepare(&gemm_panels_avx2, shape, 1, plan);
}

static Status launch(const Launch& launch) {
  return panel_launch(&gemm_panels_avx2, launch);
}

RIDGE_KERNEL(gemm, cpu, packed_avx2, .prepare = prepare, .launch = launch);

}  // namespace ridge
