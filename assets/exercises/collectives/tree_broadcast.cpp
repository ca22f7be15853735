// ridge: flags=-O3
//
// Exercise  A broadcast down a tree
// After     copy.cpu.streamed
// Task      Rank 0 of eight has a block, and all want it. In a step each rank
//           that has the block may send it to one other rank. Write to whom, so
//           that three steps are enough. Here the ranks take turns on one
//           thread, and a rank without the block sends nothing.
// Hint      After step 0 ranks 0 and 1 have it, after step 1 ranks 0 to 3.
// Hint      In step s the ranks below 2^s have it: each needs a partner of its
//           own among the next 2^s.
#include <cstring>

#include "kernels/runtime/problems/rows.h"

namespace ridge {
namespace {

constexpr int64_t kRanks = 8, kSteps = 3, kPart = 512;  // floats
constexpr int64_t kBlock = kRanks * kPart;

/// Whom `rank` sends to in `step`.
int64_t receiver(int64_t rank, int64_t step) {
  // solution: the rank as far above it as there are ranks that have the block
  return rank + (int64_t{1} << step);
  // end of solution
  (void)step;
  return rank;
}

struct Ranks {
  float block[kRanks][kBlock] = {};
  bool has[kRanks] = {};
};

void broadcast(Ranks* ranks) {
  for (int64_t step = 0; step < kSteps; ++step) {
    bool had[kRanks];
    memcpy(had, ranks->has, sizeof had);
    for (int64_t rank = 0; rank < kRanks; ++rank) {
      const int64_t to = receiver(rank, step);
      if (!had[rank] || to < 0 || to >= kRanks || to == rank) continue;
      memcpy(ranks->block[to], ranks->block[rank], sizeof ranks->block[rank]);
      ranks->has[to] = true;
    }
  }
}

Status launch_tree_broadcast(const Launch& launch) {
  const Rows r = rows_of(launch);
  const int64_t all = r.m * r.n;
  for (int64_t first = 0; first < all; first += kBlock) {
    const int64_t count = all - first < kBlock ? all - first : kBlock;
    Ranks ranks;
    memcpy(ranks.block[0], r.x + first, sizeof(float) * (size_t)count);
    ranks.has[0] = true;
    broadcast(&ranks);
    // A part of the result from every rank.
    for (int64_t i = 0; i < count; ++i)
      r.y[first + i] = ranks.block[kRanks - 1 - i / kPart][i];
  }
  return {};
}

RIDGE_KERNEL(copy, cpu, tree_broadcast, .launch = launch_tree_broadcast);

}  // namespace
}  // namespace ridge
