// ridge: flags=-O3
//
// Exercise  Each item once
// After     copy.cpu.streamed
// Task      Several workers share one list of blocks. Whoever is ready takes
//           the next one that is free, so that a slow worker holds up
//           no other: no block may be done twice, none left out, whatever the
//           number of workers (--set threads=2).
// Hint      Two workers that read the same counter and then write it back take
//           the same block.
// Hint      std::atomic's fetch_add(1) reads and adds in one step and says what
//           was there before.
#include <atomic>
#include <cstring>

#include "kernels/runtime/cpu/team.h"
#include "kernels/runtime/problems/rows.h"

namespace ridge {
namespace {

constexpr int64_t kBlock = 4096;  // floats

struct Work {
  Rows rows;
  std::atomic<int64_t> next{0};
};

/// The next block that no worker has taken; `blocks` or more where there is none left.
int64_t take(Work* work, int64_t blocks) {
  // solution: take one of work->next
  return work->next.fetch_add(1);
  // end of solution
  (void)work;
  return blocks;
}

void worker(void* context, int) {
  Work* work = (Work*)context;
  const Rows& r = work->rows;
  const int64_t all = r.m * r.n, blocks = (all + kBlock - 1) / kBlock;
  for (int64_t b = take(work, blocks); b < blocks; b = take(work, blocks)) {
    const int64_t left = all - b * kBlock;
    memcpy(r.y + b * kBlock, r.x + b * kBlock,
           sizeof(float) * (size_t)(left < kBlock ? left : kBlock));
  }
}

Status launch_each_once(const Launch& launch) {
  Work work;
  work.rows = rows_of(launch);
  team_run(work.rows.threads, worker, &work);
  return {};
}

RIDGE_KERNEL(copy, cpu, each_once, .launch = launch_each_once);

}  // namespace
}  // namespace ridge
