// ridge: arch=75
//
// Exercise  Reduction
// Level     2
// Task      y has the sum of each 256 elements of a. The block has them in
//           shared memory: add in steps, half of the threads each time.
// Hint      In the first step thread t < 128 adds tile[t + 128] to tile[t]; in
//           the next t < 64 adds tile[t + 64].
// Hint      Each step reads what the step before wrote: __syncthreads() after
//           each, outside the if.
// Hint      Threads side by side stay side by side, so there are no bank
//           conflicts.
// Target    conflicts 0, barriers 72, shared 360
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kBlock = ridge::kPuzzleBlock;

__global__ void reduction_kernel(const float* a, float* y, int n) {
  __shared__ float tile[kBlock];
  const int t = threadIdx.x, i = blockIdx.x * kBlock + t;
  tile[t] = i < n ? a[i] : 0.0f;
  __syncthreads();
  // solution: halve the number of sums until one is left, in tile[0]
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (t < half) tile[t] += tile[t + half];
    __syncthreads();
  }
  // end of solution
  if (t == 0) y[blockIdx.x] = tile[0];
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  reduction_kernel<<<(p.columns + kBlock - 1) / kBlock, kBlock, 0, stream>>>(p.a, p.y, p.columns);
  return RIDGE_CUDA_LAUNCHED(reduction_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, reduction, .launch = launch);
