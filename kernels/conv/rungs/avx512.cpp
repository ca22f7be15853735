// ridge: isa=avx512f flags=-O2
//
// Idea      AVX-512's words for the same tile: 16 lanes, and registers for 6 x 64 sums.
// Changed   Only what a vector is. A channel and tap takes four loads of weights and six broadcasts for 24
//           multiply-adds, where AVX2 takes two and six for twelve.
// Limits    Weights from the L2: a tile of 64 filters reads more of them than an L1 holds. Close behind, the FMA units:
//           where a 512-bit multiply-add takes both 256-bit halves (Zen 4), their ceiling is AVX2's; else it doubles.
// Look at   Its share of the FMA ceiling, in nchw16c and in nchw: what nchw lacks beyond that is copying.
// Source    As avx2.
#include <immintrin.h>

#include <stdint.h>

namespace ridge {

typedef __m512 Vec;
static constexpr int kVecs = 4;

static inline Vec broadcast(const float* p) {
  return _mm512_set1_ps(*p);
}
static inline Vec fma(Vec a, Vec b, Vec acc) {
  return _mm512_fmadd_ps(a, b, acc);
}
static inline Vec load(const float* p) {
  return _mm512_loadu_ps(p);
}
static inline void store(float* p, Vec v) {
  _mm512_storeu_ps(p, v);
}
static inline Vec positive(Vec v) {
  return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(v, (Vec){}, _CMP_NLE_UQ), v);  // NaN stays
}

}  // namespace ridge

#include "kernels/conv/rungs/blocks_plan.h"
#include "kernels/conv/rungs/tile.h"

namespace ridge {

extern const ConvKernel conv_avx512;
const ConvKernel conv_avx512 = {kLanes, kVecs, conv_tile, conv_each};

static Status prepare(const Shape& shape, Plan* plan) {
  return conv_prepare_blocks(&conv_avx512, &shape, 1, plan);
}

static Status launch(const Launch& launch) {
  return conv_run_blocks(&conv_avx512, &launch);
}

RIDGE_KERNEL(conv, cpu, avx512, .prepare = prepare, .launch = launch);

}  // namespace ridge
