// ridge: arch=75
//
// Idea      The same in both directions: eight values of A and eight of B, once in registers, make an
//           outer product of 64. Reads grow with the edge of a thread's tile, FMAs with its area.
// Changed   Each thread has 8 x 8 sums, the block's tile is 128 x 128, and 256 threads bring four
//           elements of A and four of B each.
// Limits    Elements still come one by one: from device memory, and, for B, from shared memory. Eight
//           reads of B (a clock each) and two of A (four elements along k, two clocks each) for 64
//           FMAs: twelve clocks for what the FMA units do in sixteen.
// Look at   ptxas says 0 bytes of spills: 64 sums only help while they stay in registers. And where a
//           thread's eight columns are: 16 apart. Side by side, and with 154 registers (one block an
//           SM), this rung took 8.40 ms at n = 4096 on an H200; now 5.31.
// Source    V. Volkov and J. Demmel, Benchmarking GPUs to Tune Dense Linear Algebra (SC 2008).
#include <cstdint>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/problems/gemm.h"

namespace {

constexpr int kTileM = 128, kTileN = 128, kTileK = 8;
constexpr int kThreadM = 8, kThreadN = 8;
constexpr int kAcross = kTileN / kThreadN, kDown = kTileM / kThreadM;  // threads: 16 x 16
constexpr int kThreads = kDown * kAcross;

__global__ void __launch_bounds__(kThreads, 2)
    gemm_register_tile_2d_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                 float* __restrict__ c, int64_t m, int64_t n, int64_t k,
                                 int64_t tiles_n) {
  __shared__ float tile_a[kTileM][kTileK];
  __shared__ float tile_b[kTileK][kTileN];
  const int64_t row0 = blockIdx.x / tiles_n * kTileM, col0 = blockIdx.x % tiles_n * kTileN;
  const int thread = static_cast<int>(threadIdx.x);
  const int a_row = thread / kTileK, a_col = thread % kTileK;
  const int b_row = thread / kTileN, b_col = thread % kTileN;
  const int first_row = thread / kAcross, first_col = thread % kAcross;

  float acc[kThreadM][kThreadN] = {};
  for (int64_t k0 = 0; k0 < k; k0 += kTileK) {
#pragma unroll
    for (int i = a_row; i < kTileM; i += kThreads / kTileK) {
      tile_a[i][a_col] = row0 + i < m && k0 + a_col < k ? a[(row0 + i) * k + k0 + a_col] : 0.0f;
    }
#pragma unroll
    for (int i = b_row; i < kTileK; i += kThreads / kTileN) {
      tile_b[i][b_col] = k0 + i < k && col0 + b_col < n ? b[(k0 + i) * n + col0 + b_col] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTileK; ++i) {
      float value_a[kThreadM], value_b[kThreadN];
#pragma unroll
      for (int r = 0; r < kThreadM; ++r) value_a[r] = tile_a[first_row + r * kDown][i];
#pragma unroll
      for (int j = 0; j < kThreadN; ++j) value_b[j] = tile_b[i][first_col + j * kAcross];
#pragma unroll
      for (int r = 0; r < kThreadM; ++r) {
#pragma unroll
        for (int j = 0; j < kThreadN; ++j) acc[r][j] += value_a[r] * value_b[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < kThreadM; ++r) {
    const int64_t row = row0 + first_row + r * kDown;
#pragma unroll
    for (int j = 0; j < kThreadN; ++j) {
      const int64_t col = col0 + first_col + j * kAcross;
      if (row < m && col < n) c[row * n + col] = acc[r][j];
    }
  }
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Gemm g = ridge::gemm_of(launch);
  const int64_t tiles_m = (g.m + kTileM - 1) / kTileM, tiles_n = (g.n + kTileN - 1) / kTileN;
  gemm_register_tile_2d_kernel<<<static_cast<unsigned>(tiles_m * tiles_n), kThreads, 0,
                                 static_cast<cudaStream_t>(g.stream)>>>(g.a, g.b, g.c, g.m, g.n,
                                                                        g.k, tiles_n);
  return RIDGE_CUDA_LAUNCHED(gemm_register_tile_2d_kernel);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, register_tile_2d, .dtypes = "fp32", .launch = launch);
