// What the GPU's transposes by tiles of 32 x 32 share: which element is which thread's.
#pragma once

#include <cstdint>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/problems/rows.h"

namespace ridge {

constexpr int kTransposeTile = 32, kTransposeRows = 8;  // 32 x 8 threads, four rows each

/// One tile through `tile` (rows of kTransposeTile + pad words): in along rows of x, out along rows of y.
template <class T, int pad>
__device__ void transpose_tile(T (&tile)[kTransposeTile][kTransposeTile + pad], const T* __restrict__ x,
                               T* __restrict__ y, int64_t m, int64_t n) {
  const int64_t tiles_n = (n + kTransposeTile - 1) / kTransposeTile;
  const int64_t i0 = blockIdx.x / tiles_n * kTransposeTile, j0 = blockIdx.x % tiles_n * kTransposeTile;
  const int lane = static_cast<int>(threadIdx.x), row = static_cast<int>(threadIdx.y);
  for (int q = row; q < kTransposeTile; q += kTransposeRows)
    if (i0 + q < m && j0 + lane < n) tile[q][lane] = x[(i0 + q) * n + j0 + lane];
  __syncthreads();
  for (int q = row; q < kTransposeTile; q += kTransposeRows)
    if (j0 + q < n && i0 + lane < m) y[(j0 + q) * m + i0 + lane] = tile[lane][q];
}

/// kernel(x, y, m, n) on the launch's tiles, typed by words of the element's size.
template <class Word, class Kernel>
Status launch_tiles(const Launch& launch, Kernel kernel) {
  const Rows r = rows_of(launch);
  const int64_t tiles = (r.m + kTransposeTile - 1) / kTransposeTile * ((r.n + kTransposeTile - 1) / kTransposeTile);
  kernel<<<static_cast<unsigned>(tiles), dim3(kTransposeTile, kTransposeRows), 0,
           static_cast<cudaStream_t>(launch.stream)>>>(reinterpret_cast<const Word*>(r.x), reinterpret_cast<Word*>(r.y),
                                                       r.m, r.n);
  return RIDGE_CUDA_LAUNCHED(transpose_kernel);
}

}  // namespace ridge
