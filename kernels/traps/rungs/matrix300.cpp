// ridge: variants=o0:-O0,o1:-O1,o3:-O3,ofast:-Ofast
//
// Idea      matrix300: a 300 x 300 product in double precision by the textbook loops, one of the ten
//           programs of the first SPEC suite. The same file four times; only the flags differ.
// Changed   Nothing but the compiler's effort: -O0 keeps every variable in memory, -O1 in registers,
//           -O3 may use vectors, -Ofast may also reorder the sum, and so exchanges the loops.
// Limits    With one fixed n and one simple loop nest a compiler can do anything: exchange loops,
//           block them, in the end recognise the program. In 1991 preprocessors did, figures rose
//           several-fold overnight on machines that had not changed, and SPEC92 dropped it.
// Look at   The four times, and then the diff between them: there is none.
// Source    SPEC CPU 89; Hennessy and Patterson, Computer Architecture: A Quantitative Approach, 1.8.
#include "kernels/runtime/problems/gemm.h"

namespace ridge {
namespace {

constexpr int kN = 300;
using Matrix = double[kN];

void product(const Matrix* __restrict a, const Matrix* __restrict b, Matrix* __restrict c) {
  for (int i = 0; i < kN; ++i) {
    for (int j = 0; j < kN; ++j) c[i][j] = 0;
  }
  for (int i = 0; i < kN; ++i) {
    for (int j = 0; j < kN; ++j) {
      for (int p = 0; p < kN; ++p) c[i][j] += a[i][p] * b[p][j];
    }
  }
}

Status launch_matrix300(const Launch& launch) {
  product(static_cast<const Matrix*>(launch.buffers[kGemmA]),
          static_cast<const Matrix*>(launch.buffers[kGemmB]),
          static_cast<Matrix*>(launch.buffers[kGemmC]));
  return {};
}

RIDGE_KERNEL(traps, cpu, matrix300, .dtypes = "fp64", .launch = launch_matrix300);

}  // namespace
}  // namespace ridge
