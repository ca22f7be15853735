// What the GPU rungs with stored scores share: memory for them, a warp's reduction of a row, and products of matrices.
#pragma once

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/element.h"
#include "kernels/runtime/problems/attention_scores.h"

namespace ridge {

/// `bytes` of device memory as plan->state; a sentence with both sizes where they do not fit.
inline Status allocate_scores(double bytes, Plan* plan) {
  plan->workspace_bytes = static_cast<size_t>(bytes);
  size_t free_bytes = 0, all = 0;
  RIDGE_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &all));
  if (!(bytes <= 0.95 * double(free_bytes))) {
    return attention_scores_refused(bytes, double(free_bytes));
  }
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->state, static_cast<size_t>(bytes)));
  plan->release = [](void* state) { cudaFree(state); };
  return {};
}

/// Of the forward pass: one fp32 number for each query and key.
inline Status prepare_scores(const Shape& shape, Plan* plan) {
  return allocate_scores(attention_scores_bytes(shape, sizeof(float)), plan);
}

namespace device {

/// Of 32 lanes, `f` of all.
template <typename F>
__device__ float over_warp(float value, F f) {
  for (int other = 16; other > 0; other /= 2) {
    value = f(value, __shfl_xor_sync(~0u, value, other));
  }
  return value;
}

// ---- products --------------------------------------------------------------------------------
// A product of matrices on the CUDA cores, 64 x 64 at a time from shared memory: what the rungs that store their
// scores are made of. The tile is gemm.cuda.shared_tile's idea.

constexpr int kTile = 64, kDepth = 16, kThreads = 256, kPart = 4;

/// By 256 threads: the 64 x 64 elements of a * b at this block's x and y; a(i, k) = a[k * lda + i] if `transposed_a`, else
/// a[i * lda + k]; b(k, j) = b[j * ldb + k] if `transposed_b`, else b[k * ldb + j]. f(row, column, sum) gets each of a
/// thread's 16.
template <bool transposed_a, bool transposed_b, typename A, typename B, typename F>
__device__ void tile_product(const A* a, int lda, const B* b, int ldb, int m, int n, int depth, F f) {
  __shared__ float as[kDepth][kTile + 1], bs[kDepth][kTile + 1];
  const int row0 = static_cast<int>(blockIdx.y) * kTile,
            column0 = static_cast<int>(blockIdx.x) * kTile;
  const int t = static_cast<int>(threadIdx.x), x = t % 16, y = t / 16;
  float sum[kPart][kPart] = {};
  for (int k0 = 0; k0 < depth; k0 += kDepth) {
    for (int i = t; i < kTile * kDepth; i += kThreads) {
      const int ak = transposed_a ? i / kTile : i % kDepth, ai = transposed_a ? i % kTile : i / kDepth;
      const int bk = transposed_b ? i % kDepth : i / kTile, bj = transposed_b ? i / kDepth : i % kTile;
      const int64_t from_a = transposed_a ? static_cast<int64_t>(k0 + ak) * lda + row0 + ai
                                          : static_cast<int64_t>(row0 + ai) * lda + k0 + ak;
      const int64_t from_b = transposed_b ? static_cast<int64_t>(column0 + bj) * ldb + k0 + bk
                                          : static_cast<int64_t>(k0 + bk) * ldb + column0 + bj;
      as[ak][ai] = row0 + ai < m && k0 + ak < depth ? float(a[from_a]) : 0;
      bs[bk][bj] = column0 + bj < n && k0 + bk < depth ? float(b[from_b]) : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
#pragma unroll
      for (int i = 0; i < kPart; ++i) {
#pragma unroll
        for (int j = 0; j < kPart; ++j) {
          sum[i][j] = fmaf(as[k][y + 16 * i], bs[k][x + 16 * j], sum[i][j]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kPart; ++i) {
    for (int j = 0; j < kPart; ++j) {
      const int row = row0 + y + 16 * i, column = column0 + x + 16 * j;
      if (row < m && column < n) f(row, column, sum[i][j]);
    }
  }
}

inline unsigned tiles(int64_t size) {
  return static_cast<unsigned>((size + kTile - 1) / kTile);
}

}  // namespace device
}  // namespace ridge
