// ridge: flags=-O3
//
// Idea      The same three loops in the order i, p, j: one element of A scales a whole row of B into
//           a row of C.
// Changed   Only the order. The inner loop now runs along rows of B and C, so every byte of a cache
//           line is used, and its additions are independent, so the compiler may use vectors.
// Limits    The row of C is loaded and stored again for each p: two loads and a store for every
//           vector multiply-add, and B streams from wherever it fits, once per row of A.
// Look at   The whole gain comes from the order of the loops: whole cache lines, independent additions,
//           vectors of four. Not one FLOP less is done. Compare the diff: three lines.
// Source    Lam, Rothberg and Wolf, The Cache Performance and Optimizations of Blocked Algorithms
//           (ASPLOS 1991), section 2.
#include "kernels/runtime/problems/gemm.h"

namespace ridge {
namespace {

Status launch_loop_order(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  for (int64_t i = 0; i < g.m; ++i) {
    float* __restrict row = g.c + i * g.n;
    for (int64_t j = 0; j < g.n; ++j) row[j] = 0;
    for (int64_t p = 0; p < g.k; ++p) {
      const float scale = g.a[i * g.k + p];
      const float* b = g.b + p * g.n;
      for (int64_t j = 0; j < g.n; ++j) row[j] += scale * b[j];
    }
  }
  return {};
}

RIDGE_KERNEL(gemm, cpu, loop_order, .launch = launch_loop_order);

}  // namespace
}  // namespace ridge
