// ridge: arch=75
//
// Exercise  A warp adds by itself
// Level     2
// Task      y has the sum of each 32 elements. The lanes of a warp can read
//           each other's registers: no shared memory, no barrier.
// Hint      __shfl_down_sync(0xffffffffu, sum, 16) is the variable sum of the
//           lane 16 further on.
// Hint      Five steps, 16, 8, 4, 2 and 1, and lane 0 has the sum of all.
// Hint      All 32 lanes must come to a shuffle: lanes without an element take
//           part with 0.
// Target    shared 0, barriers 0
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kThreads = 128;

__global__ void warp_sum_kernel(const float* a, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i < n ? a[i] : 0.0f;
  // solution: add the sums of all lanes by shuffles
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  // end of solution
  if (i % 32 == 0 && i < n) y[i / 32] = sum;
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  warp_sum_kernel<<<(p.columns + kThreads - 1) / kThreads, kThreads, 0, stream>>>(p.a, p.y,
                                                                                  p.columns);
  return RIDGE_CUDA_LAUNCHED(warp_sum_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, warp_sum, .launch = launch);
