// ridge: arch=75
//
// Idea      One block of 1,024 threads sums the whole set. Neighbouring threads read neighbouring words, and each has one
//           load in flight: 8 KiB together.
// Changed   The start of this part.
// Limits    Bytes in flight = latency x bytes a second (Little's law): 8 KiB every 380 ns, a load's time here, are 22 GB/s,
//           of a memory that gives 3,100. The GPU's other SMs are idle.
// Look at   Bandwidth times the latency that chase.cuda.pointer shows in as large a set.
// Source    Volkov, Better Performance at Lower Occupancy, GTC 2010.
#include "kernels/sums/total.h"

namespace {

using namespace ridge;

constexpr int kThreads = 1024;

__global__ void __launch_bounds__(kThreads) sums_one_block_kernel(Sums s) {
  uint64_t sum = 0;
#pragma unroll 1
  for (int64_t i = threadIdx.x; i < s.words; i += kThreads) sum += s.data[i];
  add_to_total(sum, s.out);
}

Status launch(const Launch& launch) {
  return launch_sum(sums_one_block_kernel, 1, kThreads, launch);
}

}  // namespace

RIDGE_KERNEL(sums, cuda, one_block, .launch = launch);
