// ridge: flags=-O3
//
// Exercise  Turn the loops
// After     gemm.cpu.naive_o3
// Task      The rung before sums down a column of B: each element that it reads lies n floats after the
//           last. Write the loops so that the innermost one runs along rows of B and C.
// Hint      Which of the three loops may be innermost? Write B(p, j) = b[p * n + j] and see which index
//           moves by one float.
// Hint      With j innermost a sum can no longer live in one variable: a whole row of C grows with p.
// Hint      C arrives filled with poison: the row has to be set to zero before anything is added.
#include "kernels/runtime/problems/gemm.h"

namespace ridge {
namespace {

Status launch_turned_loops(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  for (int64_t i = 0; i < g.m; ++i) {
    float* __restrict row = g.c + i * g.n;
    // solution: fill row[0] to row[g.n - 1] from row i of A, g.a + i * g.k, and all of B
    for (int64_t j = 0; j < g.n; ++j) row[j] = 0;
    for (int64_t p = 0; p < g.k; ++p) {
      const float scale = g.a[i * g.k + p];
      const float* b = g.b + p * g.n;
      for (int64_t j = 0; j < g.n; ++j) row[j] += scale * b[j];
    }
    // end of solution
  }
  return {};
}

RIDGE_KERNEL(gemm, cpu, turned_loops, .launch = launch_turned_loops);

}  // namespace
}  // namespace ridge
