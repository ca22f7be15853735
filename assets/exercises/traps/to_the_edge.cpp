// ridge: flags=-O3
//
// Exercise  To the edge
// After     gemm.cpu.loop_order
// Task      Right at 512 x 512, at 1024 x 1024, at every size that its author
//           tried: this kernel computes whole blocks of 8 rows and leaves the
//           rest of C as it was. The gate asks for 31 x 37 as well. Compute the
//           rows that are left.
// Hint      After the last whole block, i is the first row that is missing.
// Hint      rows() takes the first row and how many: the block that is left has
//           m - i of them.
#include "kernels/runtime/problems/gemm.h"

namespace ridge {
namespace {

constexpr int64_t kBlock = 8;

/// Rows first to first + count - 1 of C.
void rows(const Gemm& g, int64_t first, int64_t count) {
  for (int64_t i = first; i < first + count; ++i) {
    for (int64_t j = 0; j < g.n; ++j) g.c[i * g.n + j] = 0;
  }
  for (int64_t p = 0; p < g.k; ++p) {
    for (int64_t i = first; i < first + count; ++i) {
      const float scale = g.a[i * g.k + p];
      float* __restrict row = g.c + i * g.n;
      const float* b = g.b + p * g.n;
      for (int64_t j = 0; j < g.n; ++j) row[j] += scale * b[j];
    }
  }
}

Status launch_to_the_edge(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  int64_t i = 0;
  for (; i + kBlock <= g.m; i += kBlock) rows(g, i, kBlock);
  // solution: the rows from i on
  rows(g, i, g.m - i);
  // end of solution
  return {};
}

RIDGE_KERNEL(gemm, cpu, to_the_edge, .launch = launch_to_the_edge);

}  // namespace
}  // namespace ridge
