// ridge: arch=75
//
// Idea      The 32 threads of a warp should read 32 neighbours: then one request moves one line.
// Changed   Only which thread has which element: threadIdx.x now runs along a row of C, where it ran
//           down a column. For each k a warp reads 128 bytes of B in a row, and one element of A that
//           all its threads share.
// Limits    Still two loads for one FMA. An SM's load units take one warp's request a clock at best,
//           while it could start four warps' FMAs: an eighth of the FMA peak is out of reach already.
// Look at   The diff: two words. Then the bandwidth of n = 8192 against that of 2048: B no longer
//           fits the L2 cache.
// Source    NVIDIA CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".
#include <cstdint>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/problems/gemm.h"

namespace {

constexpr int kTile = 32;  // a block covers 32 x 32 elements of C

__global__ void gemm_coalesced_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ c, int64_t m, int64_t n, int64_t k,
                                      int64_t tiles_n) {
  const int64_t row = blockIdx.x / tiles_n * kTile + threadIdx.y;  // a warp: one row ...
  const int64_t col = blockIdx.x % tiles_n * kTile + threadIdx.x;  // ... and 32 columns
  if (row >= m || col >= n) return;
  const float* a_row = a + row * k;
  const float* b_col = b + col;
  float acc = 0.0f;
  for (int64_t i = 0; i < k; ++i) acc += a_row[i] * b_col[i * n];
  c[row * n + col] = acc;
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Gemm g = ridge::gemm_of(launch);
  const int64_t tiles_m = (g.m + kTile - 1) / kTile, tiles_n = (g.n + kTile - 1) / kTile;
  gemm_coalesced_kernel<<<static_cast<unsigned>(tiles_m * tiles_n), dim3(kTile, kTile), 0,
                          static_cast<cudaStream_t>(g.stream)>>>(g.a, g.b, g.c, g.m, g.n, g.k,
                                                                 tiles_n);
  return RIDGE_CUDA_LAUNCHED(gemm_coalesced_kernel);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, coalesced, .dtypes = "fp32", .launch = launch);
