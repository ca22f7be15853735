// ridge: isa=wasm128 flags=-O2
//
// Idea      The same tile in WebAssembly's words: four lanes, whatever processor the browser runs on.
// Changed   Only what a vector is. The browser's compiler translates each operation; on x86 it has 16 registers, so the tile
//           stays 4 x 8.
// Limits    The instruction set: four lanes, and no fused multiply-add before relaxed SIMD, so a multiply-add is two
//           instructions.
// Look at   packed, natively, on the same core: the same operations, compiled ahead by GCC.
// Source    WebAssembly's fixed-width SIMD proposal; the loops around the tile are those of packed.
#include <stdint.h>
#include <wasm_simd128.h>

namespace ridge {

typedef float Vec __attribute__((vector_size(16)));
typedef int Mask;  // lanes inside
static constexpr int kRows = 4;

static inline Vec fma(Vec s, Vec v, Vec acc) {
  return s * v + acc;
}
static inline Vec load(const float* p) {
  return (Vec)wasm_v128_load(p);
}
static inline void store(float* p, Vec v) {
  wasm_v128_store(p, (v128_t)v);
}
static inline Mask mask(int lanes) {
  return lanes;
}
// There are no masks. Of no more than three lanes: not inlined, since every place that might need it would have a copy.
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
[[gnu::always_inline]] static inline void multiply_step(const float* a, int64_t a_stride, Vec left,
                                                        Vec right, Vec (&acc)[2][rows]) {
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i) {
    const Vec s = (Vec)wasm_v128_load32_splat(a + i * a_stride);  // one instruction loads and spreads it
    acc[0][i] = fma(s, left, acc[0][i]);
    if (wide) acc[1][i] = fma(s, right, acc[1][i]);
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

RIDGE_KERNEL(gemm, cpu, packed_wasm128, .prepare = prepare, .launch = launch);

}  // namespace ridge
