// ridge: arch=75
//
// Exercise  Guard
// Level     1
// Task      y[i] = a[i] + b[i], for any number of elements. The last block has
//           threads that have no element: they must do nothing.
// Hint      The launch rounds up: 1000 elements take 8 blocks, which are 1024
//           threads.
// Hint      One comparison with n stands before everything else.
// Target    sectors 375, requests 96
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kThreads = 128;

__global__ void guard_kernel(const float* a, const float* b, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // solution: add where there is an element
  if (i < n) y[i] = a[i] + b[i];
  // end of solution
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  guard_kernel<<<(p.columns + kThreads - 1) / kThreads, kThreads, 0, stream>>>(p.a, p.b, p.y,
                                                                               p.columns);
  return RIDGE_CUDA_LAUNCHED(guard_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, guard, .launch = launch);
