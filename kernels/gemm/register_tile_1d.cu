// ridge: arch=75
//
// Idea      A value read from shared memory should be used more than once. A thread computes eight
//           elements of C below each other: one value of B, kept in a register, meets eight of A.
// Changed   The block's tile grows to 64 x 64 and gets thinner, 8 of k; each of 512 threads has eight
//           sums.
// Limits    Shared memory still. For eight FMAs a warp reads one row of B (a clock of the SM's 128
//           bytes) and eight values of A, each the same for all its threads. Read four along k at a
//           time these are two clocks more: three clocks for what the FMA units do in two.
// Look at   The step from shared_tile: not more arithmetic, only fewer reads for it.
// Source    V. Volkov, Better Performance at Lower Occupancy (GTC 2010); S. Boehm, How to Optimize a
//           CUDA Matmul Kernel, kernel 4.
#include <cstdint>

#include "kernels/device/check.h"
#include "kernels/gemm/gemm.h"

namespace {

constexpr int kTileM = 64, kTileN = 64, kTileK = 8;
constexpr int kThreadM = 8;  // elements of C a thread computes, below each other
constexpr int kThreads = kTileM / kThreadM * kTileN;
// Every thread brings one element of A and one of B.
static_assert(kThreads == kTileM * kTileK && kThreads == kTileK * kTileN);

__global__ void __launch_bounds__(kThreads)
    gemm_register_tile_1d_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                 float* __restrict__ c, int64_t m, int64_t n, int64_t k,
                                 unsigned tiles_n) {
  __shared__ float tile_a[kTileM][kTileK];
  __shared__ float tile_b[kTileK][kTileN];
  const int64_t row0 = int64_t{blockIdx.x / tiles_n} * kTileM;
  const int64_t col0 = int64_t{blockIdx.x % tiles_n} * kTileN;
  const int thread = static_cast<int>(threadIdx.x);
  const int a_row = thread / kTileK, a_col = thread % kTileK;
  const int b_row = thread / kTileN, b_col = thread % kTileN;
  const int first = thread / kTileN * kThreadM, col = thread % kTileN;  // of this thread's sums

  float sum[kThreadM] = {};
  for (int64_t k0 = 0; k0 < k; k0 += kTileK) {
    tile_a[a_row][a_col] =
        row0 + a_row < m && k0 + a_col < k ? a[(row0 + a_row) * k + k0 + a_col] : 0.0f;
    tile_b[b_row][b_col] =
        k0 + b_row < k && col0 + b_col < n ? b[(k0 + b_row) * n + col0 + b_col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTileK; ++i) {
      const float value = tile_b[i][col];
#pragma unroll
      for (int r = 0; r < kThreadM; ++r) sum[r] += tile_a[first + r][i] * value;
    }
    __syncthreads();
  }
  if (col0 + col >= n) return;
#pragma unroll
  for (int r = 0; r < kThreadM; ++r) {
    const int64_t row = row0 + first + r;
    if (row < m) c[row * n + col0 + col] = sum[r];
  }
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Gemm g = ridge::gemm_of(launch);
  const int64_t tiles_m = (g.m + kTileM - 1) / kTileM, tiles_n = (g.n + kTileN - 1) / kTileN;
  gemm_register_tile_1d_kernel<<<static_cast<unsigned>(tiles_m * tiles_n), kThreads, 0,
                                 static_cast<cudaStream_t>(g.stream)>>>(
      g.a, g.b, g.c, g.m, g.n, g.k, static_cast<unsigned>(tiles_n));
  return RIDGE_CUDA_LAUNCHED(gemm_register_tile_1d_kernel);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, register_tile_1d, .dtypes = "fp32", .launch = launch);
