// ridge: arch=75
//
// Idea      Sixteen bytes in every instruction: one load then brings four elements, and the eight
//           values of B that a thread needs for a step of k are two reads instead of eight. Those of A are
//           two as before, where the compiler read four steps at once: now of one step, in 8 registers, not 32.
// Changed   float4 everywhere. For A to be read along m, its tile is transposed on the way into shared
//           memory. A thread's 8 x 8 sums now are four blocks of 4 x 4, 64 apart, so that the threads
//           of a warp read neighbouring sixteen bytes of B, without bank conflicts.
// Limits    Each tile is loaded, waited for, stored and waited for again, by the threads that should
//           compute: with two blocks an SM one multiplies while the other waits, at best.
// Look at   n = 4096 against n = 4097: rows that are no multiple of 16 bytes are copied first
//           (kernels/runtime/cuda/padding.h), and the copy is timed.
// Source    S. Boehm, How to Optimize a CUDA Matmul Kernel, kernel 6.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemm/rungs/store_4.h"
#include "kernels/runtime/cuda/padding.h"

namespace {

using ridge::device::store_4;

constexpr int kTileM = 128, kTileN = 128, kTileK = 8;
constexpr int kThreads = 256;  // 16 x 16, each with 2 x 2 blocks of 4 x 4
// 4 more than needed: the four rows of A that a thread stores below each other, and those of its
// neighbours, then fall into different banks. Still a multiple of 16 bytes.
constexpr int kRowA = kTileM + 4;
static_assert(kTileM * kTileK == 4 * kThreads && kTileK * kTileN == 4 * kThreads);

__device__ float4 load_4(const float* from, bool inside) {
  return inside ? *reinterpret_cast<const float4*>(from) : make_float4(0, 0, 0, 0);
}

__global__ void __launch_bounds__(kThreads, 2)
    gemm_vectorised_kernel(const float* __restrict__ a, int64_t lda, const float* __restrict__ b,
                           int64_t ldb, float* __restrict__ c, int64_t m, int64_t n, int64_t k,
                           int64_t tiles_n) {
  __shared__ alignas(16) float tile_a[kTileK][kRowA];
  __shared__ alignas(16) float tile_b[kTileK][kTileN];
  const int64_t row0 = blockIdx.x / tiles_n * kTileM, col0 = blockIdx.x % tiles_n * kTileN;
  const int thread = static_cast<int>(threadIdx.x);
  const int a_row = thread / 2, a_col = thread % 2 * 4;
  const int b_row = thread / 32, b_col = thread % 32 * 4;
  const int first_row = thread / 16 * 4, first_col = thread % 16 * 4;

  float acc[8][8] = {};
  for (int64_t k0 = 0; k0 < k; k0 += kTileK) {
    const float4 piece_a =
        load_4(a + (row0 + a_row) * lda + k0 + a_col, row0 + a_row < m && k0 + a_col < k);
    tile_a[a_col][a_row] = piece_a.x;
    tile_a[a_col + 1][a_row] = piece_a.y;
    tile_a[a_col + 2][a_row] = piece_a.z;
    tile_a[a_col + 3][a_row] = piece_a.w;
    *reinterpret_cast<float4*>(&tile_b[b_row][b_col]) =
        load_4(b + (k0 + b_row) * ldb + col0 + b_col, k0 + b_row < k && col0 + b_col < n);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTileK; ++i) {
      alignas(16) float value_a[8], value_b[8];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        *reinterpret_cast<float4*>(value_a + 4 * h) =
            *reinterpret_cast<const float4*>(&tile_a[i][first_row + 64 * h]);
        *reinterpret_cast<float4*>(value_b + 4 * h) =
            *reinterpret_cast<const float4*>(&tile_b[i][first_col + 64 * h]);
      }
#pragma unroll
      for (int r = 0; r < 8; ++r) {
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[r][j] += value_a[r] * value_b[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 8; ++r) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const float* s = acc[r] + 4 * h;
      store_4(c, m, n, row0 + first_row + r / 4 * 64 + r % 4, col0 + first_col + h * 64,
              make_float4(s[0], s[1], s[2], s[3]));
    }
  }
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Gemm g = ridge::gemm_of(launch);
  ridge::AlignedOperands in;
  if (const auto status = ridge::align_operands(launch, &in); !status.ok()) return status;
  const int64_t tiles_m = (g.m + kTileM - 1) / kTileM, tiles_n = (g.n + kTileN - 1) / kTileN;
  gemm_vectorised_kernel<<<static_cast<unsigned>(tiles_m * tiles_n), kThreads, 0,
                           static_cast<cudaStream_t>(g.stream)>>>(
      static_cast<const float*>(in.a), in.lda, static_cast<const float*>(in.b), in.ldb, g.c, g.m,
      g.n, g.k, tiles_n);
  return RIDGE_CUDA_LAUNCHED(gemm_vectorised_kernel);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, vectorised, .dtypes = "fp32", .prepare = ridge::prepare_padding,
             .launch = launch);
