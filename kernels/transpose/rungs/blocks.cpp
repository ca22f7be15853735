// ridge: flags=-O3
//
// Idea      Tile by tile: 16 rows of 16 columns touch 16 lines of x and 16 of y, which stay in a cache
//           until all their bytes are used.
// Changed   The order of the same loads and stores.
// Limits    Element by element, and each line of y is read before it is overwritten. At n = 4096 the 16 lines of
//           x share one set of the L1, which has fewer places. What that costs is not settled.
// Look at   The same figure at n = 4096 and 4100.
// Source    Lam, Rothberg and Wolf, "The Cache Performance and Optimizations of Blocked Algorithms" (1991).
#include "kernels/runtime/problems/rows.h"

namespace ridge {
namespace {

constexpr int64_t kTile = 16;  // floats in a cache line

Status launch_blocks(const Launch& launch) {
  const Rows r = rows_of(launch);
  for (int64_t i0 = 0; i0 < r.m; i0 += kTile) {
    const int64_t i1 = i0 + kTile < r.m ? i0 + kTile : r.m;
    for (int64_t j0 = 0; j0 < r.n; j0 += kTile) {
      const int64_t j1 = j0 + kTile < r.n ? j0 + kTile : r.n;
      for (int64_t j = j0; j < j1; ++j) {
        for (int64_t i = i0; i < i1; ++i) r.y[j * r.m + i] = r.x[i * r.n + j];
      }
    }
  }
  return {};
}

RIDGE_KERNEL(transpose, cpu, blocks, .launch = launch_blocks);

}  // namespace
}  // namespace ridge
