// ridge: arch=75
//
// Idea      A block of threads brings a 32 x 32 tile of A and one of B into shared memory, waits, and
//           every thread multiplies from there: each value loaded is used 32 times.
// Changed   Device memory traffic falls 32-fold, to 8 FLOP per byte, and the loads are coalesced
//           (threadIdx.x along a row: one 128-byte line a warp).
// Limits    Shared memory. A warp's FMA needs one row of tile_b (128 bytes, all that an SM reads in a
//           clock) and, every four steps, a broadcast of 16 bytes from tile_a. Two clocks for it fit
//           the counters: 1.5 clocks, while the SM could do four such FMAs in one. A sixth of the FMA
//           peak is the roof, however large the matrices; two barriers a tile take some of that.
// Look at   Utilization: it stops at the same share from n = 2048 on. Keeping several elements of C
//           in registers, so that each value read is used more than once, is the way up.
// Source    NVIDIA CUDA C++ Programming Guide, "Shared Memory": tiled matrix multiplication.
#include <cstdint>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/problems/gemm.h"

namespace {

constexpr int kTile = 32;

__global__ void __launch_bounds__(kTile* kTile)
    gemm_shared_tile_kernel(const float* __restrict__ a, const float* __restrict__ b,
                            float* __restrict__ c, int64_t m, int64_t n, int64_t k,
                            int64_t tiles_n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int64_t row = blockIdx.x / tiles_n * kTile + ty;
  const int64_t col = blockIdx.x % tiles_n * kTile + tx;

  float acc = 0.0f;
  for (int64_t k0 = 0; k0 < k; k0 += kTile) {
    // Outside the matrices a tile is zero, so that the inner loop needs no test.
    tile_a[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.0f;
    tile_b[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) acc += tile_a[ty][i] * tile_b[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = acc;
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Gemm g = ridge::gemm_of(launch);
  const int64_t tiles_m = (g.m + kTile - 1) / kTile, tiles_n = (g.n + kTile - 1) / kTile;
  gemm_shared_tile_kernel<<<static_cast<unsigned>(tiles_m * tiles_n), dim3(kTile, kTile), 0,
                            static_cast<cudaStream_t>(g.stream)>>>(g.a, g.b, g.c, g.m, g.n, g.k,
                                                                   tiles_n);
  return RIDGE_CUDA_LAUNCHED(gemm_shared_tile_kernel);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, shared_tile, .dtypes = "fp32", .launch = launch);
