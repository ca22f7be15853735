// ridge: arch=75
//
// Idea      The three loops of the CPU's first rung with the outer two handed to the hardware: a grid
//           of threads covers C, and each thread walks K alone, straight from device memory.
// Changed   Nothing yet; this is where the GPU's ladder starts.
// Limits    Loads. threadIdx.x runs down the rows of C, so the 32 threads of a warp read 32 rows of A
//           at the same k: 32 addresses K floats apart, 32 sectors of 32 bytes for 128 useful bytes,
//           and as many for every store to C. One FMA costs two loads: even perfect caching leaves
//           0.25 FLOP for each byte asked of L1.
// Look at   Bandwidth: the chart counts each matrix once and looks idle, while the load units are
//           full. Swap row and column in the two marked lines and run again: the same FLOPs, the
//           same registers, several times the speed.
// Source    NVIDIA CUDA C++ Programming Guide, "Shared Memory" (the version without any).
#include <cstdint>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/problems/gemm.h"

namespace {

constexpr int kTile = 32;  // a block covers 32 x 32 elements of C

__global__ void gemm_naive_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                  float* __restrict__ c, int64_t m, int64_t n, int64_t k,
                                  int64_t tiles_n) {
  // One grid dimension: gridDim.y ends at 65535, gridDim.x at 2^31 - 1, and no C with more tiles
  // than that (8 TiB) fits a GPU.
  const int64_t row = blockIdx.x / tiles_n * kTile + threadIdx.x;  // a warp: 32 rows ...
  const int64_t col = blockIdx.x % tiles_n * kTile + threadIdx.y;  // ... of one column
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
  gemm_naive_kernel<<<static_cast<unsigned>(tiles_m * tiles_n), dim3(kTile, kTile), 0,
                      static_cast<cudaStream_t>(g.stream)>>>(g.a, g.b, g.c, g.m, g.n, g.k, tiles_n);
  return RIDGE_CUDA_LAUNCHED(gemm_naive_kernel);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, naive, .dtypes = "fp32", .launch = launch);
