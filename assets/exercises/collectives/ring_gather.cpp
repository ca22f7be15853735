// ridge: flags=-O3
//
// Exercise  An all-gather round a ring
// After     copy.cpu.streamed
// Task      Four ranks have a quarter of a block each, and all of them want the
//           block. In each of three steps every rank passes one quarter on to
//           the next rank. Say which: it has to be there already, and new to
//           the next rank. Here the ranks take turns on one thread.
// Hint      In step 0 a rank has its own quarter alone.
// Hint      In step s it passes on what step s - 1 has brought it.
// Hint      What rank r receives in step 0 is quarter r - 1, counted modulo 4.
#include <cstring>

#include "kernels/runtime/problems/rows.h"

namespace ridge {
namespace {

constexpr int64_t kRanks = 4, kQuarter = 1024;  // floats

/// The quarter that `rank` sends to rank + 1 in `step`.
int64_t quarter_sent(int64_t rank, int64_t step) {
  // solution: what the step before has brought
  return (rank - step + kRanks) % kRanks;
  // end of solution
  (void)rank, (void)step;
  return 0;
}

/// What each rank has of one block: zeros where nothing has come yet.
struct Ranks {
  float block[kRanks][kRanks * kQuarter] = {};
};

void gather(Ranks* ranks) {
  for (int64_t step = 0; step + 1 < kRanks; ++step) {
    for (int64_t rank = 0; rank < kRanks; ++rank) {
      const int64_t first = quarter_sent(rank, step) * kQuarter;
      memcpy(ranks->block[(rank + 1) % kRanks] + first,
             ranks->block[rank] + first, sizeof(float) * kQuarter);
    }
  }
}

Status launch_ring_gather(const Launch& launch) {
  const Rows r = rows_of(launch);
  const int64_t all = r.m * r.n, whole = kRanks * kQuarter;
  for (int64_t first = 0; first < all; first += whole) {
    Ranks ranks;
    for (int64_t i = 0; i < whole && first + i < all; ++i)
      ranks.block[i / kQuarter][i] = r.x[first + i];
    gather(&ranks);
    // Of each quarter the copy that has gone furthest.
    for (int64_t i = 0; i < whole && first + i < all; ++i) {
      const int64_t last = (i / kQuarter + kRanks - 1) % kRanks;
      r.y[first + i] = ranks.block[last][i];
    }
  }
  return {};
}

RIDGE_KERNEL(copy, cpu, ring_gather, .launch = launch_ring_gather);

}  // namespace
}  // namespace ridge
