// ridge: arch=75
//
// Idea      Neighbouring threads read neighbouring words: a load of a warp is 256 bytes in a row, eight whole sectors.
// Changed   The words that a warp reads at a time, and nothing else.
// Limits    DRAM. With 2,048 threads on an SM and four loads in flight in each, 64 KiB an SM are in flight: latency x
//           bandwidth needs an eighth of that (335 ns x 3.35 TB/s), and more as the latency grows under load.
// Look at   Bandwidth beside the ceiling, and the factor to one_block: it has 8 KiB in flight.
// Source    As stride; Little's law.
#include "kernels/sums/total.h"

namespace {

using namespace ridge;

__global__ void __launch_bounds__(kSumThreads) sums_coalesced_kernel(Sums s) {
  const int64_t step = int64_t{gridDim.x} * kSumThreads;
  uint64_t sum = 0;
#pragma unroll 4
  for (int64_t i = int64_t{blockIdx.x} * kSumThreads + threadIdx.x; i < s.words; i += step)
    sum += s.data[i];
  add_to_total(sum, s.out);
}

Status launch(const Launch& launch) {
  return launch_sum(sums_coalesced_kernel, sm_count() * kSumBlocksPerSm, kSumThreads, launch);
}

}  // namespace

RIDGE_KERNEL(sums, cuda, coalesced, .launch = launch);
