// ridge: arch=75
//
// Exercise  An array of structs
// Level     2
// Task      Row i of a is a point, three floats; y[i] is the square of its
//           distance from 0. The kernel reads coordinates 12 bytes apart. Bring
//           a block's points into shared memory with requests that are side by
//           side, and read them there.
// Hint      A block has 128 points, which are 384 floats in a row: each thread
//           brings three of them, 128 apart.
// Hint      All have to be there before anybody reads: __syncthreads(). It
//           stands outside every if.
// Hint      No float lies beyond the last point: guard the index of the float,
//           which is not the index of the point.
// Target    sectors 500
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kThreads = 128;

__global__ void structs_kernel(const float* a, float* y, int points) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  // solution: stage the block's floats in shared memory, then read your point there
  __shared__ float staged[3 * kThreads];
  const int first = 3 * kThreads * blockIdx.x;
  for (int k = t; k < 3 * kThreads; k += kThreads)
    staged[k] = first + k < 3 * points ? a[first + k] : 0.0f;
  __syncthreads();
  const float x = staged[3 * t], v = staged[3 * t + 1], w = staged[3 * t + 2];
  // given: const float x = i < points ? a[3 * i] : 0.0f;
  // given: const float v = i < points ? a[3 * i + 1] : 0.0f;
  // given: const float w = i < points ? a[3 * i + 2] : 0.0f;
  // end of solution
  if (i < points) y[i] = x * x + v * v + w * w;
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  structs_kernel<<<(p.rows + kThreads - 1) / kThreads, kThreads, 0, stream>>>(p.a, p.y, p.rows);
  return RIDGE_CUDA_LAUNCHED(structs_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, structs, .launch = launch);
