// ridge: flags=-O3
//
// Exercise  The error column
// After     gemm.cpu.loop_order
// Task      This kernel keeps 8 of the 24 bits of each element of B and moves
//           half as many bytes. A table without an error column calls it
//           faster; our gate refuses it. Give back what was rounded away, and
//           it passes: a bf16 and what it lacks, two terms for each element.
// Hint      The rounded element is `high`. What has to be added to it, so that
//           the sum is the element again?
// Hint      The difference of two floats so near to each other is exact:
//           element - high.
#include "kernels/runtime/problems/gemm.h"

namespace ridge {
namespace {

/// The upper half of an fp32: a bf16, cut off.
float high_of(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  bits &= 0xffff0000u;
  __builtin_memcpy(&x, &bits, sizeof bits);
  return x;
}

Status launch_error_column(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  for (int64_t i = 0; i < g.m; ++i) {
    float* __restrict row = g.c + i * g.n;
    for (int64_t j = 0; j < g.n; ++j) row[j] = 0;
    for (int64_t p = 0; p < g.k; ++p) {
      const float scale = g.a[i * g.k + p];
      const float* b = g.b + p * g.n;
      for (int64_t j = 0; j < g.n; ++j) {
        const float high = high_of(b[j]);
        row[j] += scale * high;
        // solution: what the upper half lacks
        row[j] += scale * (b[j] - high);
        // end of solution
      }
    }
  }
  return {};
}

RIDGE_KERNEL(gemm, cpu, error_column, .launch = launch_error_column);

}  // namespace
}  // namespace ridge
