// ridge: arch=75
//
// Exercise  Broadcast
// Level     1
// Task      y[i][j] = a[j] + b[i]: a row and a column of n elements make a
//           matrix of n by n.
// Hint      As before a thread has a row and a column; the row picks from b,
//           the column from a.
// Hint      All threads of a row read the same element of b: that is one
//           sector, not thirty-two.
// Target    sectors 1363, requests 525
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kSide = 16;

__global__ void broadcast_kernel(const float* a, const float* b, float* y, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  // solution: write your element of the matrix, if there is one
  if (i < n && j < n) y[i * n + j] = a[j] + b[i];
  // end of solution
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  const int side = (p.columns + kSide - 1) / kSide;
  broadcast_kernel<<<dim3(side, side), dim3(kSide, kSide), 0, stream>>>(p.a, p.b, p.y, p.columns);
  return RIDGE_CUDA_LAUNCHED(broadcast_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, broadcast, .launch = launch);
