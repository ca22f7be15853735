// ridge: flags=-O3
//
// Exercise  Four rows at once
// After     gemm.cpu.loop_order
// Task      Each row of B is read once for each row of C. Compute four rows of
//           C together, so that what was read of B is used four times while it
//           is in a register.
// Hint      Inside the loop over p there are four scales now, a[0][p] to
//           a[3][p].
// Hint      Load b[j] once, then add to c[0][j], c[1][j], c[2][j] and c[3][j].
// Hint      The rows that are left when m is no multiple of four are done by
//           one_row(), already there.
#include "kernels/runtime/problems/gemm.h"

namespace ridge {
namespace {

void one_row(const Gemm& g, int64_t i) {
  float* __restrict row = g.c + i * g.n;
  for (int64_t j = 0; j < g.n; ++j) row[j] = 0;
  for (int64_t p = 0; p < g.k; ++p) {
    const float scale = g.a[i * g.k + p];
    const float* b = g.b + p * g.n;
    for (int64_t j = 0; j < g.n; ++j) row[j] += scale * b[j];
  }
}

/// Rows i to i + 3 of C.
void four_rows(const Gemm& g, int64_t i) {
  const float* a = g.a + i * g.k;
  float* __restrict c0 = g.c + i * g.n;
  float* __restrict c1 = c0 + g.n;
  float* __restrict c2 = c1 + g.n;
  float* __restrict c3 = c2 + g.n;
  for (int64_t j = 0; j < g.n; ++j) c0[j] = c1[j] = c2[j] = c3[j] = 0;
  for (int64_t p = 0; p < g.k; ++p) {
    const float* b = g.b + p * g.n;
    // solution: add row p of B, b, to the four rows, each scaled by its own element of A
    const float s0 = a[p], s1 = a[g.k + p], s2 = a[2 * g.k + p], s3 = a[3 * g.k + p];
    for (int64_t j = 0; j < g.n; ++j) {
      const float value = b[j];
      c0[j] += s0 * value;
      c1[j] += s1 * value;
      c2[j] += s2 * value;
      c3[j] += s3 * value;
    }
    // end of solution
  }
}

Status launch_four_rows(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  int64_t i = 0;
  for (; i + 4 <= g.m; i += 4) four_rows(g, i);
  for (; i < g.m; ++i) one_row(g, i);
  return {};
}

RIDGE_KERNEL(gemm, cpu, four_rows, .launch = launch_four_rows);

}  // namespace
}  // namespace ridge
