// ridge: flags=-O3
//
// Exercise  Every size
// After     gemm.cpu.loop_order
// Task      Published at n = 256, 512 and 1024, and right there: this kernel
//           takes four columns of C at once and knows no other sizes. The gate
//           asks for 1 x 1, primes and shapes that are not square. Compute the
//           columns that are left, and the claim holds for every size.
// Hint      After the last whole group of four, j is the first column that is
//           missing.
// Hint      A single column needs one accumulator and the same loop over p.
#include "kernels/runtime/problems/gemm.h"

namespace ridge {
namespace {

constexpr int kColumns = 4;

Status launch_every_size(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  for (int64_t i = 0; i < g.m; ++i) {
    const float* a = g.a + i * g.k;
    int64_t j = 0;
    for (; j + kColumns <= g.n; j += kColumns) {
      float acc[kColumns] = {};
      for (int64_t p = 0; p < g.k; ++p) {
        for (int q = 0; q < kColumns; ++q) acc[q] += a[p] * g.b[p * g.n + j + q];
      }
      for (int q = 0; q < kColumns; ++q) g.c[i * g.n + j + q] = acc[q];
    }
    // solution: the columns from j on
    for (; j < g.n; ++j) {
      float acc = 0;
      for (int64_t p = 0; p < g.k; ++p) acc += a[p] * g.b[p * g.n + j];
      g.c[i * g.n + j] = acc;
    }
    // end of solution
  }
  return {};
}

RIDGE_KERNEL(gemm, cpu, every_size, .launch = launch_every_size);

}  // namespace
}  // namespace ridge
