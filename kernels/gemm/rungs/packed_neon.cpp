// ridge: isa=neon flags=-O2,-fno-schedule-insns
//
// Idea      The same tile in NEON's words: four lanes, but 32 registers, and an FMA that takes one of its factors from a
//           single lane.
// Changed   Only what a vector is, and the height of the tile. 32 registers hold 12 x 8 accumulators: 24 vectors, two of
//           B, six for elements of A on their way. 24 FMAs need 14 loads; the 4 x 8 tile of packed has six loads for eight.
// Limits    The FMA units, by count; no time of it was taken yet. A vector is half of AVX2's; a core makes up for it
//           with more units, where it has them.
// Look at   The share of the FMA ceiling. And the listing: without the flag GCC 12 moves the loads of a step before the
//           FMAs of the last, runs out of registers, and keeps three accumulators on the stack.
// Source    BLIS's sgemm for armv8a fills the same registers with 8 x 12 accumulators; the loops around it are those of packed.
#include <arm_neon.h>
#include <stdint.h>

namespace ridge {

typedef float32x4_t Vec;
typedef int Mask;  // lanes inside
static constexpr int kRows = 12;

static inline Vec fma(Vec s, Vec v, Vec acc) {
  return vfmaq_f32(acc, s, v);
}
static inline Vec load(const float* p) {
  return vld1q_f32(p);
}
static inline void store(float* p, Vec v) {
  vst1q_f32(p, v);
}
static inline Mask mask(int lanes) {
  return lanes;
}
// NEON has no masks. Of no more than three lanes: not inlined, since every place that might need it would have a copy.
static __attribute__((noinline)) Vec load_few(Mask lanes, const float* p) {
  Vec v = vdupq_n_f32(0);
  if (lanes > 0) v = vld1q_lane_f32(p, v, 0);
  if (lanes > 1) v = vld1q_lane_f32(p + 1, v, 1);
  if (lanes > 2) v = vld1q_lane_f32(p + 2, v, 2);
  return v;
}
static inline Vec load_some(Mask lanes, const float* p) {
  return lanes > 3 ? load(p) : load_few(lanes, p);
}
static __attribute__((noinline)) void store_some(Mask lanes, float* p, Vec v) {
  if (lanes > 3) return store(p, v);
  if (lanes > 0) vst1q_lane_f32(p, v, 0);
  if (lanes > 1) vst1q_lane_f32(p + 1, v, 1);
  if (lanes > 2) vst1q_lane_f32(p + 2, v, 2);
}

/// One step of k: `rows` elements of a column of A, each times two vectors of a row of B (one, if not `wide`).
template <int rows, bool wide>
[[gnu::always_inline]] static inline void multiply_step(const float* a, int64_t a_stride, Vec left,
                                                        Vec right, Vec (&acc)[2][rows]) {
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i) {
    const float s = a[i * a_stride];  // in one lane: the FMA spreads it
    acc[0][i] = vfmaq_n_f32(acc[0][i], left, s);
    if (wide) acc[1][i] = vfmaq_n_f32(acc[1][i], right, s);
  }
}

}  // namespace ridge

#include "kernels/gemm/rungs/panel_tile.h"

namespace ridge {

static Status prepare(const Shape& shape, Plan* plan) {
  return panel_prepare(&kFp32Panels, shape, 1, plan);
}

static Status launch(const Launch& launch) {
  return panel_launch(&kFp32Panels, launch);
}

RIDGE_KERNEL(gemm, cpu, packed_neon, .prepare = prepare, .launch = launch);

}  // namespace ridge
