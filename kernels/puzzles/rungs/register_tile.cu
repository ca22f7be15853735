// ridge: arch=75
//
// Exercise  Register tile
// Level     3
// Task      The product with tiles of 32 by 32 and 32 by 8 threads: a thread
//           has four elements of a column of y, in rows ty, ty + 8, ty + 16 and
//           ty + 24. Let one value that was read of tile_b serve all four.
// Hint      Keep four sums in registers. The loop over k is the outer one, the
//           loop over the four rows the inner one.
// Hint      const float from_b = tile_b[k][tx] is read once a k; each row r
//           adds tile_a[ty + 8 * r][k] * from_b.
// Target    shared 10752, barriers 16
#include "common/harness/kernel/cuda_check.h"
#include "kernels/puzzles/puzzles.h"

namespace {

constexpr int kTile = 32, kHigh = 8, kRows = kTile / kHigh;

__global__ void register_tile_kernel(const float* a, const float* b, float* y, int n) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int top = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum[kRows] = {};
  for (int first = 0; first < n; first += kTile) {
    for (int r = 0; r < kRows; ++r) {
      const int row = top + r * kHigh, k = first + ty + r * kHigh;
      tile_a[ty + r * kHigh][tx] = row < n && first + tx < n ? a[row * n + first + tx] : 0.0f;
      tile_b[ty + r * kHigh][tx] = k < n && column < n ? b[k * n + column] : 0.0f;
    }
    __syncthreads();
    // solution: four sums from each value that is read of tile_b
    for (int k = 0; k < kTile; ++k) {
      const float from_b = tile_b[k][tx];
      for (int r = 0; r < kRows; ++r) sum[r] += tile_a[ty + r * kHigh][k] * from_b;
    }
    // given: for (int r = 0; r < kRows; ++r)
    // given:   for (int k = 0; k < kTile; ++k) sum[r] += tile_a[ty + r * kHigh][k] * tile_b[k][tx];
    // end of solution
    __syncthreads();
  }
  for (int r = 0; r < kRows; ++r) {
    const int row = top + r * kHigh;
    if (row < n && column < n) y[row * n + column] = sum[r];
  }
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Puzzle p = ridge::puzzle_of(launch);
  const auto stream = static_cast<cudaStream_t>(p.stream);
  const int side = (p.columns + kTile - 1) / kTile;
  register_tile_kernel<<<dim3(side, side), dim3(kTile, kHigh), 0, stream>>>(p.a, p.b, p.y,
                                                                            p.columns);
  return RIDGE_CUDA_LAUNCHED(register_tile_kernel);
}

}  // namespace

RIDGE_KERNEL(puzzles, cuda, register_tile, .launch = launch);
