// ridge: flags=-O3
//
// Exercise  A part for each rank
// After     copy.cpu.streamed
// Task      Four ranks share out a buffer of n numbers, as ZeRO does with a
//           gradient. Each number belongs to one rank, parts follow one
//           another, and no part is longer than another by more than one
//           number, whatever n is. Write where a rank's part begins. Here the
//           ranks take turns on one thread.
// Hint      Rank 4, which there is not, would begin at n.
// Hint      Where n is a multiple of 4 a part has n / 4 numbers. What if 3 are left?
// Hint      Multiply first, then divide.
#include <cstring>

#include "kernels/runtime/problems/rows.h"

namespace ridge {
namespace {

constexpr int64_t kRanks = 4;

/// The first of `n` numbers that belongs to `rank`, 0 to kRanks.
int64_t begin_of(int64_t n, int64_t rank) {
  // solution: each boundary is rounded by itself
  return n * rank / kRanks;
  // end of solution
  (void)rank;
  return n;
}

/// A rank copies its part, if it is no longer than the longest may be.
void copy_part(const float* x, float* y, int64_t n, int64_t rank) {
  const int64_t begin = begin_of(n, rank), end = begin_of(n, rank + 1);
  const int64_t most = (n + kRanks - 1) / kRanks;
  if (begin < 0 || end > n || end <= begin || end - begin > most) return;
  memcpy(y + begin, x + begin, sizeof(float) * (size_t)(end - begin));
}

Status launch_own_part(const Launch& launch) {
  const Rows r = rows_of(launch);
  const int64_t n = r.m * r.n;
  for (int64_t rank = 0; rank < kRanks; ++rank) copy_part(r.x, r.y, n, rank);
  return {};
}

RIDGE_KERNEL(copy, cpu, own_part, .launch = launch_own_part);

}  // namespace
}  // namespace ridge
