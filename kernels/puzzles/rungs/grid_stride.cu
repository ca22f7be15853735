// ridge: arch=75
//
// Exercise  More elements than threads
// Level     1
// Task      y[i] = a[i] where that is positive, else 0. There are 4 blocks of
//           128 threads, however many elements there are: each thread takes
//           several.
// Hint      A thread begins with its own number, and goes on by the number of
//           all threads.
// Hint      gridDim.x * blockDim.x threads are there. In each turn of the loop
//           the lanes of a warp still read neighbours.
// Target    sectors 1250, requests 314
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kBlocks = 4, kThreads = 128;

__global__ void grid_stride_kernel(const float* a, float* y, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  // solution: take your first element, and every one that is as many further as there are threads
  for (int i = first; i < n; i += gridDim.x * blockDim.x) y[i] = fmaxf(a[i], 0.0f);
  // end of solution
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  grid_stride_kernel<<<kBlocks, kThreads, 0, stream>>>(p.a, p.y, p.columns);
  return RIDGE_CUDA_LAUNCHED(grid_stride_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, grid_stride, .launch = launch);
