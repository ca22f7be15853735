// ridge: arch=75
//
// Exercise  A tile in shared memory
// Level     3
// After     gemm.cuda.coalesced
// Task      Every thread of the rung before reads its row of A and its column
//           of B from device memory by itself. Have the block bring a tile of
//           each into shared memory, and multiply from there.
// Hint      The thread (tx, ty) brings one element of each tile: A's row `row`,
//           column k0 + tx; B's row k0 + ty, column `col`. Outside the matrices
//           write 0, so that the product needs no test.
// Hint      No thread may multiply before all have written, nor write the next
//           tile before all have multiplied: __syncthreads() stands in two
//           places.
// Hint      sum += tile_a[ty][i] * tile_b[i][tx] for the kTile steps of k in
//           the tile.
#include <cstdint>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/problems/gemm.h"

namespace {

constexpr int kTile = 32;

__global__ void __launch_bounds__(kTile* kTile)
    gemm_tile_in_shared_kernel(const float* __restrict__ a, const float* __restrict__ b,
                               float* __restrict__ c, int64_t m, int64_t n, int64_t k,
                               int64_t tiles_n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int64_t row = blockIdx.x / tiles_n * kTile + ty;
  const int64_t col = blockIdx.x % tiles_n * kTile + tx;

  float sum = 0.0f;
  tile_a[ty][tx] = tile_b[ty][tx] = 0.0f;
  for (int64_t k0 = 0; k0 < k; k0 += kTile) {
    // solution: fill tile_a and tile_b from k0 on, wait, add the tile's products to sum, wait
    tile_a[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.0f;
    tile_b[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += tile_a[ty][i] * tile_b[i][tx];
    __syncthreads();
    // end of solution
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Gemm g = ridge::gemm_of(launch);
  const int64_t tiles_m = (g.m + kTile - 1) / kTile, tiles_n = (g.n + kTile - 1) / kTile;
  gemm_tile_in_shared_kernel<<<static_cast<unsigned>(tiles_m * tiles_n), dim3(kTile, kTile), 0,
                               static_cast<cudaStream_t>(g.stream)>>>(g.a, g.b, g.c, g.m, g.n, g.k,
                                                                      tiles_n);
  return RIDGE_CUDA_LAUNCHED(gemm_tile_in_shared_kernel);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, tile_in_shared, .dtypes = "fp32", .launch = launch);
