// ridge: arch=75
//
// Exercise  Transpose
// Level     2
// Task      y[j][i] = a[i][j]. The kernel reads along rows and writes down
//           columns, 32 sectors a request. Turn a tile of 32 by 32 in shared
//           memory, so that both sides go along rows.
// Hint      Fill tile[ty][tx] as you read. After __syncthreads() another thread
//           may have your element.
// Hint      The block writes the tile of y with the block's numbers exchanged:
//           its row is blockIdx.x * 32 + ty, its column blockIdx.y * 32 + tx.
// Hint      What is written there is tile[tx][ty]; the guard is that of y,
//           which has as many rows as a has columns.
// Target    sectors 1464
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kSide = 32;

__global__ void transpose_kernel(const float* a, float* y, int rows, int columns) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kSide + ty, column = blockIdx.x * kSide + tx;
  // solution: read a row of the tile, wait, write a row of the turned tile
  __shared__ float tile[kSide][kSide];
  if (row < rows && column < columns) tile[ty][tx] = a[row * columns + column];
  __syncthreads();
  const int to_row = blockIdx.x * kSide + ty, to_column = blockIdx.y * kSide + tx;
  if (to_row < columns && to_column < rows) y[to_row * rows + to_column] = tile[tx][ty];
  // given: if (row < rows && column < columns) y[column * rows + row] = a[row * columns + column];
  // end of solution
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  const dim3 blocks((p.columns + kSide - 1) / kSide, (p.rows + kSide - 1) / kSide);
  transpose_kernel<<<blocks, dim3(kSide, kSide), 0, stream>>>(p.a, p.y, p.rows, p.columns);
  return RIDGE_CUDA_LAUNCHED(transpose_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, transpose, .launch = launch);
