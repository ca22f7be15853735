// ridge: flags=-O2
//
// Idea      Keep a tile of C in registers for a thousand steps of k, and copy A and B into panels, so
//           that those steps read five streams instead of 1,000 rows. This file says what a vector is;
//           panel_tile.h is the tile, panels.h the loops around it.
// Changed   cache_blocks loads and stores C for every four multiply-adds; here C is touched once in
//           1024 steps. GCC's vectors of four floats: what every CPU of this architecture has.
// Limits    The instruction set: four lanes, no fused multiply-add (two instructions for one), and two more
//           (addss of zero, shufps) to spread an element of A over the lanes.
// Look at   Utilization: the same file with wider vectors is the next rung.
// Source    Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication (TOMS 2008).
#include <stdint.h>

namespace ridge {

typedef float Vec __attribute__((vector_size(16)));
typedef int Mask;  // lanes inside
enum { kRows = 4 };

static inline Vec broadcast(const float* p) {
  return Vec{} + *p;
}
static inline Vec fma(Vec s, Vec v, Vec acc) {
  return s * v + acc;
}
static inline Vec load(const float* p) {
  Vec v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
static inline void store(float* p, Vec v) {
  __builtin_memcpy(p, &v, sizeof(v));
}
static inline Mask mask(int lanes) {
  return lanes;
}
// Of no more than three lanes: not inlined, since every place that might need it would have a copy.
static __attribute__((noinline)) Vec load_few(Mask lanes, const float* p) {
  return Vec{lanes > 0 ? p[0] : 0, lanes > 1 ? p[1] : 0, lanes > 2 ? p[2] : 0, 0};
}
static inline Vec load_some(Mask lanes, const float* p) {
  return lanes > 3 ? load(p) : load_few(lanes, p);
}
static __attribute__((noinline)) void store_some(Mask lanes, float* p, Vec v) {
  for (int j = 0; j < 4 && j < lanes; ++j) p[j] = v[j];
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

extern const PanelKernel gemm_panels_portable;
const PanelKernel gemm_panels_portable = kFp32Panels;

static Status prepare(const Shape& shape, Plan* plan) {
  return panel_prepare(&gemm_panels_portable, shape, 1, plan);
}

static Status launch(const Launch& launch) {
  return panel_launch(&gemm_panels_portable, launch);
}

RIDGE_KERNEL(gemm, cpu, packed, .prepare = prepare, .launch = launch);

}  // namespace ridge
