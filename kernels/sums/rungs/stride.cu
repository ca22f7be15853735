// ridge: arch=75
//
// Idea      All SMs, but neighbouring threads read words that are `stride` apart: with 8, a load of a warp takes 32
//           sectors of 32 bytes, and uses 8 bytes of each. The next pass uses the next words.
// Changed   2,048 threads on every SM, four loads in flight in each; and the stride.
// Limits    Memory moves whole sectors (on an H100 two at a time, it seems), and the set is past the L2: each sector is
//           fetched again for each of its words.
// Look at   Bandwidth counts each byte once, so it is what was used. Set `stride` to 1, 2 and 4.
// Source    CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".
#include "kernels/sums/total.h"

namespace {

using namespace ridge;

__global__ void __launch_bounds__(kSumThreads) sums_stride_kernel(Sums s) {
  const int64_t step = s.stride * gridDim.x * kSumThreads;
  const int64_t begin = s.stride * (int64_t{blockIdx.x} * kSumThreads + threadIdx.x);
  uint64_t sum = 0;
  for (int64_t first = 0; first < s.stride; ++first) {
#pragma unroll 4
    for (int64_t i = begin + first; i < s.words; i += step) sum += s.data[i];
  }
  add_to_total(sum, s.out);
}

Status launch(const Launch& launch) {
  return launch_sum(sums_stride_kernel, sm_count() * kSumBlocksPerSm, kSumThreads, launch);
}

}  // namespace

RIDGE_KERNEL(sums, cuda, stride, .launch = launch);
