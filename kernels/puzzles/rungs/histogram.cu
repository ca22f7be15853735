// ridge: arch=75
//
// Exercise  Histogram
// Level     2
// Task      y counts how many elements fall into each of 32 bins; it is 0 to
//           begin with. The kernel makes an atomic in device memory for each
//           element. Count in shared memory first, and add 32 numbers a block.
// Hint      bins[32] in shared memory has to be 0 before anybody counts: 32
//           threads write 0, then a barrier.
// Hint      atomicAdd(&bins[puzzle_bin(a[i])], 1.0f) works on shared memory as
//           on device memory.
// Hint      A second barrier, then 32 threads add one bin each to y.
// Target    atomics 256, barriers 16
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kBlocks = 8, kThreads = 128;

__global__ void histogram_kernel(const float* a, float* y, int n) {
  const int first = blockIdx.x * kThreads + threadIdx.x;
  // solution: count in shared memory, then add the block's bins to y
  __shared__ float bins[ridge::kPuzzleBins];
  if (threadIdx.x < ridge::kPuzzleBins) bins[threadIdx.x] = 0.0f;
  __syncthreads();
  for (int i = first; i < n; i += gridDim.x * kThreads)
    atomicAdd(&bins[ridge::puzzle_bin(a[i])], 1.0f);
  __syncthreads();
  if (threadIdx.x < ridge::kPuzzleBins) atomicAdd(&y[threadIdx.x], bins[threadIdx.x]);
  // given: for (int i = first; i < n; i += gridDim.x * kThreads)
  // given:   atomicAdd(&y[ridge::puzzle_bin(a[i])], 1.0f);
  // end of solution
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  RIDGE_CUDA_CHECK(cudaMemsetAsync(p.y, 0, ridge::kPuzzleBins * sizeof(float), stream));
  histogram_kernel<<<kBlocks, kThreads, 0, stream>>>(p.a, p.y, p.columns);
  return RIDGE_CUDA_LAUNCHED(histogram_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, histogram, .launch = launch);
