// ridge: flags=-O3
//
// Exercise  Turn it tile by tile
// After     transpose.cpu.naive
// Task      Written down a column of y, each element is in another cache line,
//           which is gone again before its other 15 floats are needed.
//           Transpose tiles of 16 x 16: then 16 lines stay in the cache until
//           all their bytes have been used.
// Hint      The tile that begins at (i0, j0) goes to row i1 and column j1, or
//           less where the matrix ends.
// Hint      Two loops over the tile; inside them the same assignment as before.
// Hint      y has m columns: element (i, j) of x is y[j * m + i].
#include "kernels/runtime/problems/rows.h"

namespace ridge {
namespace {

constexpr int64_t kTile = 16;  // floats in a cache line

int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

Status launch_turn_by_tiles(const Launch& launch) {
  const Rows r = rows_of(launch);
  for (int64_t i0 = 0; i0 < r.m; i0 += kTile) {
    for (int64_t j0 = 0; j0 < r.n; j0 += kTile) {
      const int64_t i1 = least(i0 + kTile, r.m), j1 = least(j0 + kTile, r.n);
      // solution: y from x, for rows i0 to i1 - 1 and columns j0 to j1 - 1 of x
      for (int64_t j = j0; j < j1; ++j) {
        for (int64_t i = i0; i < i1; ++i) r.y[j * r.m + i] = r.x[i * r.n + j];
      }
      // end of solution
      (void)i1, (void)j1;
    }
  }
  return {};
}

RIDGE_KERNEL(transpose, cpu, turn_by_tiles, .launch = launch_turn_by_tiles);

}  // namespace
}  // namespace ridge
