// ridge: variants=o1:-O1,o3:-O3
//
// Idea      The definition, written down: for every element of C, walk a row of A and a column of B.
// Changed   Nothing yet; this is where the ladder starts. The same file is built twice, with -O1 and
//           with -O3: the two rungs differ by the compiler's effort alone.
// Limits    Every addition of the inner loop waits for the one before it (a chain of K dependent
//           adds, 2 to 4 cycles each), and B is read down a column: one 4-byte element used of
//           every 64-byte cache line fetched. -O3 vectorises the products: g++ 12 gathers four
//           elements of B for one mulps. Four addss then add the products in order, because the
//           compiler may not reorder a float sum, and the chain stays as long.
// Look at   How little -O3 buys, and how the time per FLOP jumps once a column of B (K lines of
//           64 B) no longer fits the L1 and then the L2 cache.
// Source    The textbook triple loop; the talk's first two rows.
#include "kernels/runtime/problems/gemm.h"

namespace ridge {
namespace {

Status launch_naive(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  for (int64_t i = 0; i < g.m; ++i) {
    for (int64_t j = 0; j < g.n; ++j) {
      float acc = 0;
      for (int64_t p = 0; p < g.k; ++p) acc += g.a[i * g.k + p] * g.b[p * g.n + j];
      g.c[i * g.n + j] = acc;
    }
  }
  return {};
}

RIDGE_KERNEL(gemm, cpu, naive, .launch = launch_naive);

}  // namespace
}  // namespace ridge
