// ridge: arch=75
//
// Exercise  Coalescing
// Level     2
// Task      y[i][j] = a[i][j] b[i]. The kernel is right, and each request of a
//           warp touches 32 rows: 32 sectors of 32 bytes for 4 bytes each. Let
//           it touch one row.
// Hint      The lanes of a warp differ in threadIdx.x first. What lies side by
//           side in memory are the elements of a row.
// Hint      Exchange x and y where row and column are computed. The grid is
//           square, so nothing else changes.
// Target    sectors 1824
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kSide = 32;

__global__ void coalescing_kernel(const float* a, const float* b, float* y, int rows, int columns) {
  // solution: give the lanes of a warp neighbouring columns
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  // given: const int row = blockIdx.x * blockDim.x + threadIdx.x;
  // given: const int column = blockIdx.y * blockDim.y + threadIdx.y;
  // end of solution
  if (row < rows && column < columns) {
    const int at = row * columns + column;
    y[at] = a[at] * b[row];
  }
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  const int longer = p.rows > p.columns ? p.rows : p.columns;
  const int side = (longer + kSide - 1) / kSide;
  coalescing_kernel<<<dim3(side, side), dim3(kSide, kSide), 0, stream>>>(p.a, p.b, p.y, p.rows,
                                                                         p.columns);
  return RIDGE_CUDA_LAUNCHED(coalescing_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, coalescing, .launch = launch);
