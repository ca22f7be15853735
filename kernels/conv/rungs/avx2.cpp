// ridge: isa=avx2 flags=-O2
//
// Idea      Channels in blocks of 16, so that a vector holds neighbouring filters of one pixel: no sum is ever
//           split over lanes. Six pixels times 16 filters are summed in registers; each weight that is loaded
//           meets six pixels, each input that is broadcast meets 16 filters.
// Changed   The layout, and with it what is contiguous. The weights are packed once, as the tile reads them. In
//           nchw, x is copied into blocks and y out of them at every call; in nchw16c nothing is copied.
// Limits    The FMA units: twelve independent sums are enough to keep both busy.
// Look at   Twelve multiply-adds for two loads and six broadcasts: the loads fit beside them.
// Source    E. Georganas et al., Anatomy of High-Performance Deep Learning Convolutions on SIMD Architectures,
//           SC 2018, arXiv:1808.05567; oneDNN's nChw16c layout.
#include <immintrin.h>

#include <stdint.h>

namespace ridge {

typedef __m256 Vec;
static constexpr int kVecs = 2;

static inline Vec broadcast(const float* p) {
  return _mm256_broadcast_ss(p);
}
static inline Vec fma(Vec a, Vec b, Vec acc) {
  return _mm256_fmadd_ps(a, b, acc);
}
static inline Vec load(const float* p) {
  return _mm256_loadu_ps(p);
}
static inline void store(float* p, Vec v) {
  _mm256_storeu_ps(p, v);
}
static inline Vec positive(Vec v) {
  return _mm256_max_ps(_mm256_setzero_ps(), v);  // NaN stays
}

}  // namespace ridge

#include "kernels/conv/rungs/blocks_plan.h"
#include "kernels/conv/rungs/tile.h"

namespace ridge {

static const ConvKernel conv_avx2 = {kLanes, kVecs, conv_tile, conv_each};

static Status prepare(const Shape& shape, Plan* plan) {
  return conv_prepare_blocks(&conv_avx2, &shape, 1, plan);
}

static Status launch(const Launch& launch) {
  return conv_run_blocks(&conv_avx2, &launch);
}

RIDGE_KERNEL(conv, cpu, avx2, .prepare = prepare, .launch = launch);

}  // namespace ridge
