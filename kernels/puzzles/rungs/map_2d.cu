// ridge: arch=75
//
// Exercise  Map in two dimensions
// Level     1
// Task      y = a squared, element by element, of a matrix with any number of
//           rows and columns. Blocks are 16 by 16 threads; a row of the matrix
//           lies in memory one element after the other.
// Hint      threadIdx.x and blockIdx.x lead to the column, threadIdx.y and
//           blockIdx.y to the row.
// Hint      The element of (row, column) is row * columns + column. Both need a
//           guard.
// Target    sectors 1440, requests 300
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kSide = 16;

__global__ void map_2d_kernel(const float* a, float* y, int rows, int columns) {
  // solution: square the element of your row and column, if there is one
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) {
    const float value = a[row * columns + column];
    y[row * columns + column] = value * value;
  }
  // end of solution
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  const dim3 blocks((p.columns + kSide - 1) / kSide, (p.rows + kSide - 1) / kSide);
  map_2d_kernel<<<blocks, dim3(kSide, kSide), 0, stream>>>(p.a, p.y, p.rows, p.columns);
  return RIDGE_CUDA_LAUNCHED(map_2d_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, map_2d, .launch = launch);
