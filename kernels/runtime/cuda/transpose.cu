// ridge: arch=75
#include "kernels/runtime/cuda/transpose.h"

#include "common/harness/kernel/cuda_check.h"

namespace ridge {
namespace {

constexpr int kThreads = 256;
constexpr int kSquare = 64;  // transposed through shared memory, so that both sides are coalesced

/// to (columns x ld) becomes the transpose of from (rows x columns). What lies between `rows` and ld
/// becomes zero.
__global__ void __launch_bounds__(kThreads)
    gemm_transpose_kernel(const float* __restrict__ from, float* __restrict__ to, int64_t rows,
                          int64_t columns, int64_t ld, int64_t squares_across) {
  __shared__ float square[kSquare][kSquare + 1];
  const int x = static_cast<int>(threadIdx.x) % 32, y = static_cast<int>(threadIdx.x) / 32;
  const int64_t row0 = blockIdx.x / squares_across * kSquare;
  const int64_t column0 = blockIdx.x % squares_across * kSquare;
#pragma unroll
  for (int i = 0; i < kSquare * kSquare / kThreads; ++i) {
    const int64_t row = y + i / 2 * 8, column = x + i % 2 * 32;
    const bool inside = row0 + row < rows && column0 + column < columns;
    square[row][column] = inside ? from[(row0 + row) * columns + column0 + column] : 0.0f;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kSquare * kSquare / kThreads; ++i) {
    const int64_t row = y + i / 2 * 8, column = x + i % 2 * 32;  // of the transpose
    if (column0 + row < columns && row0 + column < ld) {
      to[(column0 + row) * ld + row0 + column] = square[column][row];
    }
  }
}

}  // namespace

Status transpose(const float* from, float* to, int64_t rows, int64_t columns, int64_t ld,
                 void* stream) {
  const int64_t across = (columns + kSquare - 1) / kSquare;
  const int64_t blocks = (rows + kSquare - 1) / kSquare * across;
  gemm_transpose_kernel<<<static_cast<unsigned>(blocks), kThreads, 0,
                          static_cast<cudaStream_t>(stream)>>>(from, to, rows, columns, ld, across);
  return RIDGE_CUDA_LAUNCHED(gemm_transpose_kernel);
}

}  // namespace ridge
