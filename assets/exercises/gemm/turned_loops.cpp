// ridge: flags=-O3
//
// Exercise  Turn the loops
// Level     1
// After     gemm.cpu.naive_o3
// Task      C = A x B. The rung before computes one element of C at a time: it
//           walks down a column of B, and from one number to the next it jumps
//           over a whole row. Order the loops so that the innermost one walks
//           along a row of B and a row of C, from neighbour to neighbour.
// Hint      Three loops: i over the rows of C, j over its columns, p over what
//           is summed. B(p, j) is b[p * n + j]: which index moves by one float
//           when it grows by one? That loop is the innermost.
// Hint      With j innermost no single sum is finished before p is: the whole
//           row of C grows, row[j] += A(i, p) * B(p, j).
// Hint      C was not set before the call: set the row to zero, then add.
// Given     struct Gemm {       // all matrices lie row by row
//             int64_t m, n, k;
//             const float* a;   // A, m x k: A(i, p) is a[i * k + p]
//             const float* b;   // B, k x n: B(p, j) is b[p * n + j]
//             float* c;         // C, m x n: C(i, j) is c[i * n + j]
//           };
#include "kernels/runtime/problems/gemm.h"

namespace ridge {
namespace {

Status launch_turned_loops(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  for (int64_t i = 0; i < g.m; ++i) {
    float* __restrict row = g.c + i * g.n;
    // solution: fill row[0] to row[g.n - 1], which is row i of C
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
