// ridge: arch=75
//
// Idea      A value read from shared memory should be used more than once. A thread computes eight
//           elements of C below each other: one value of B, kept in a register, meets eight of A.
// Changed   The block's tile grows to 64 x 64 and gets thinner, 8 of k; each of 512 threads has eight
//           sums.
// Limits    Shared memory still. For eight FMAs a warp reads one row of B (a clock of the SM's 128
//           bytes) and eight values of A, each the same for all its threads. Read four along k at a
//           time these are two broadcasts of 16 bytes. At two clocks each, which fits the counters,
//           that makes five clocks with B's, for what the FMA units do in two.
// Look at   The step from shared_tile: not more arithmetic, only fewer reads for it.
// Source    V. Volkov, Better Performance at Lower Occupancy (GTC 2010); S. Boehm, How to Optimize a
//           CUDA Matmul Kernel, kernel 4.
#include <cstdint>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/problems/gemm.h"

namespace {

constexpr int kTileM = 64, kTileN = 64, kTileK = 8;
constexpr int kThreadM = 8;  // elements of C a thread computes, below each other
constexpr int kThreads = kTileM / kThreadM * kTileN;
// Every thread brings one element of A and one of B.
static_assert(kThreads == kTileM * kTileK && kThreads == kTileK * kTileN);

__global__ void __launch_bounds__(kThreads)
    gemm_register_tile_1d_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                 float* __restrict__ c, int m, int n, int k, unsigned tiles_n) {
  __shared__ float tile_a[kTileM][kTileK];
  __shared__ float tile_b[kTileK][kTileN];
  const int row0 = static_cast<int>(blockIdx.x / tiles_n) * kTileM;
  const int col0 = static_cast<int>(blockIdx.x % tiles_n) * kTileN;
  const int thread = static_cast<int>(threadIdx.x);
  const int a_row = thread / kTileK, a_col = thread % kTileK;
  const int b_row = thread / kTileN, b_col = thread % kTileN;
  const int first = thread / kTileN * kThreadM, col = thread % kTileN;  // of this thread's sums

  // Pointers that walk: computing both addresses afresh in 64 bits took 30 instructions a step of
  // the loop, beside its 64 FFMAs.
  const float* from_a = a + int64_t{row0 + a_row} * k + a_col;
  const float* from_b = b + int64_t{b_row} * n + col0 + b_col;
  const int end_a = row0 + a_row < m ? k - a_col : 0, end_b = col0 + b_col < n ? k - b_row : 0;

  float acc[kThreadM] = {};
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    tile_a[a_row][a_col] = k0 < end_a ? *from_a : 0.0f;
    tile_b[b_row][b_col] = k0 < end_b ? *from_b : 0.0f;
    from_a += kTileK;
    from_b += int64_t{kTileK} * n;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTileK; ++i) {
      const float value = tile_b[i][col];
#pragma unroll
      for (int r = 0; r < kThreadM; ++r) acc[r] += tile_a[first + r][i] * value;
    }
    __syncthreads();
  }
  if (col0 + col >= n) return;
#pragma unroll
  for (int r = 0; r < kThreadM; ++r) {
    const int row = row0 + first + r;
    if (row < m) c[int64_t{row} * n + col0 + col] = acc[r];
  }
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Gemm g = ridge::gemm_of(launch);
  const int64_t tiles_m = (g.m + kTileM - 1) / kTileM, tiles_n = (g.n + kTileN - 1) / kTileN;
  gemm_register_tile_1d_kernel<<<static_cast<unsigned>(tiles_m * tiles_n), kThreads, 0,
                                 static_cast<cudaStream_t>(g.stream)>>>(
      g.a, g.b, g.c, static_cast<int>(g.m), static_cast<int>(g.n), static_cast<int>(g.k),
      static_cast<unsigned>(tiles_n));
  return RIDGE_CUDA_LAUNCHED(gemm_register_tile_1d_kernel);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, register_tile_1d, .dtypes = "fp32", .launch = launch);
