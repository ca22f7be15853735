// ridge: arch=75
//
// Exercise  Tiled matrix product
// Level     3
// Task      y = a b, matrices of n by n. Each thread has an element of y, and
//           reads a row of a and a column of b from device memory. Bring tiles
//           of 16 by 16 into shared memory, and multiply there.
// Hint      For each tile of the sum the thread (tx, ty) brings one element of
//           a and one of b, 0 outside of the matrices.
// Hint      Two barriers a tile: after it was filled, and after all have
//           multiplied.
// Hint      sum += tile_a[ty][k] * tile_b[k][tx] for the 16 steps k of the
//           tile.
// Target    sectors 4608, barriers 128
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kTile = 16;

__global__ void tiled_product_kernel(const float* a, const float* b, float* y, int n) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0.0f;
  // solution: tile by tile, fill, wait, multiply, wait
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  for (int first = 0; first < n; first += kTile) {
    tile_a[ty][tx] = row < n && first + tx < n ? a[row * n + first + tx] : 0.0f;
    tile_b[ty][tx] = first + ty < n && column < n ? b[(first + ty) * n + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  // given: for (int k = 0; row < n && column < n && k < n; ++k)
  // given:   sum += a[row * n + k] * b[k * n + column];
  // end of solution
  if (row < n && column < n) y[row * n + column] = sum;
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  const int side = (p.columns + kTile - 1) / kTile;
  tiled_product_kernel<<<dim3(side, side), dim3(kTile, kTile), 0, stream>>>(p.a, p.b, p.y,
                                                                            p.columns);
  return RIDGE_CUDA_LAUNCHED(tiled_product_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, tiled_product, .launch = launch);
