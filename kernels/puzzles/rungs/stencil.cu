// ridge: arch=75
//
// Exercise  Stencil in two dimensions
// Level     2
// Task      y is each element of a, and a quarter of its four neighbours; what
//           lies outside of the matrix is 0. The tile of a block has a border
//           of one element.
// Hint      The tile is 34 wide and 10 high. Your element stands at tile[ty +
//           1][tx + 1].
// Hint      Threads at an edge of the block bring a neighbour as well: tx == 0
//           the left one, ty == 0 the upper one, and so on. The corners are not
//           needed.
// Target    requests 642, barriers 24
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kWide = 32, kHigh = 8;

/// What lies outside is 0.
__device__ float at(const float* a, int rows, int columns, int row, int column) {
  const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
  return inside ? a[row * columns + column] : 0.0f;
}

__global__ void stencil_kernel(const float* a, float* y, int rows, int columns) {
  __shared__ float tile[kHigh + 2][kWide + 2];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int column = blockIdx.x * kWide + tx, row = blockIdx.y * kHigh + ty;
  // solution: bring your element, and what lies beyond the block's edge; wait
  tile[ty + 1][tx + 1] = at(a, rows, columns, row, column);
  if (tx == 0) tile[ty + 1][0] = at(a, rows, columns, row, column - 1);
  if (tx == kWide - 1) tile[ty + 1][kWide + 1] = at(a, rows, columns, row, column + 1);
  if (ty == 0) tile[0][tx + 1] = at(a, rows, columns, row - 1, column);
  if (ty == kHigh - 1) tile[kHigh + 1][tx + 1] = at(a, rows, columns, row + 1, column);
  __syncthreads();
  // end of solution
  if (row >= rows || column >= columns) return;
  y[row * columns + column] =
      tile[ty + 1][tx + 1] +
      0.25f * (tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] + tile[ty + 1][tx + 2]);
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  const dim3 blocks((p.columns + kWide - 1) / kWide, (p.rows + kHigh - 1) / kHigh);
  stencil_kernel<<<blocks, dim3(kWide, kHigh), 0, stream>>>(p.a, p.y, p.rows, p.columns);
  return RIDGE_CUDA_LAUNCHED(stencil_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, stencil, .launch = launch);
