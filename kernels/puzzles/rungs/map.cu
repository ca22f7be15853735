// ridge: arch=75
//
// Exercise  Map
// Level     1
// Task      y[i] = 2 a[i] + 1. There are as many threads as elements, 128 in a
//           block: let each compute one.
// Hint      A thread finds out which it is: threadIdx.x counts inside its
//           block, blockIdx.x counts the blocks, and blockDim.x is 128.
// Hint      blockIdx.x * blockDim.x + threadIdx.x is a different number in each
//           thread, from 0 on.
// Target    sectors 256, requests 64
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kThreads = 128;

__global__ void map_kernel(const float* a, float* y) {
  // solution: find your element, and write it
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 2 * a[i] + 1;
  // end of solution
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  map_kernel<<<p.columns / kThreads, kThreads, 0, stream>>>(p.a, p.y);
  return RIDGE_CUDA_LAUNCHED(map_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, map, .launch = launch);
