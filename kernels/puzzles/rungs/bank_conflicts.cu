// ridge: arch=75
//
// Exercise  Bank conflicts
// Level     2
// Task      The transpose again, with its tile. Shared memory has 32 banks, and
//           a column of the tile lies in one of them: a warp that reads it is
//           served in 32 turns. Change one number.
// Hint      Word w lies in bank w mod 32. The rows of the tile are 32 words
//           long, so words of a column are 32 apart.
// Hint      With rows of 33 words the elements of a column lie in 32 different
//           banks. The last word of each row is never used.
// Target    sectors 1464, conflicts 0
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kSide = 32;

__global__ void bank_conflicts_kernel(const float* a, float* y, int rows, int columns) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kSide + ty, column = blockIdx.x * kSide + tx;
  // solution: make the rows of the tile longer than they need to be
  __shared__ float tile[kSide][kSide + 1];
  // given: __shared__ float tile[kSide][kSide];
  // end of solution
  if (row < rows && column < columns) tile[ty][tx] = a[row * columns + column];
  __syncthreads();
  const int to_row = blockIdx.x * kSide + ty, to_column = blockIdx.y * kSide + tx;
  if (to_row < columns && to_column < rows) y[to_row * rows + to_column] = tile[tx][ty];
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  const dim3 blocks((p.columns + kSide - 1) / kSide, (p.rows + kSide - 1) / kSide);
  bank_conflicts_kernel<<<blocks, dim3(kSide, kSide), 0, stream>>>(p.a, p.y, p.rows, p.columns);
  return RIDGE_CUDA_LAUNCHED(bank_conflicts_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, bank_conflicts, .launch = launch);
