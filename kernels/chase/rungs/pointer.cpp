// ridge: flags=-O3,-fno-tree-vectorize
//
// Idea      Each line says where the next one is, anywhere in the working set. No load can begin before the one before
//           has ended, and no prefetcher can guess: a step takes the whole way to the memory that holds the line.
// Changed   The start of this part: one chase after the other, on pages of 4 KiB.
// Limits    Latency: that of L1, L2, L3 or DRAM, as the working set grows; in large sets also that of the tables that
//           say where a page lies.
// Look at   A sweep over `kib`: time per operation climbs by a stair for each cache.
// Source    McVoy and Staelin, lmbench: Portable Tools for Performance Analysis (1996).
#include "kernels/chase/pages.h"

namespace ridge {
namespace {

Status prepare_pointer(const Shape& shape, Plan* plan) {
  return lay_out_cycle(shape, false, plan);
}

Status launch_pointer(const Launch& launch) {
  const Chase c = chase_of(launch);
  uint64_t all = 0;
  for (int64_t i = 0; i < c.chases; ++i) {
    uint64_t place = c.start[i] * kLineWords, sum = 0;
    for (int64_t step = 0; step < c.steps; ++step) {
      place = c.lines[place];
      sum = with_line(sum, place / kLineWords);
    }
    c.end[i] = place / kLineWords;
    all += sum;
  }
  *c.sum = all;
  return {};
}

RIDGE_KERNEL(chase, cpu, pointer, .prepare = prepare_pointer, .launch = launch_pointer);

}  // namespace
}  // namespace ridge
