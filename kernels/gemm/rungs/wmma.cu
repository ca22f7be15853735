// ridge: arch=75
//
// Idea      Tensor cores, through the interface that C++ has for them: a warp loads 16 x 16
//           fragments of A and B and multiplies them in one call. How a fragment lies across the 32
//           lanes is the compiler's secret; the code is the shared tile's, with another inner loop.
// Changed   Against the shared tile: 16-bit inputs (sums stay fp32), 4,096 multiply-adds an
//           instruction instead of 32, and 16-byte loads. A warp keeps eight products of C in
//           registers, so that every fragment loaded is used two or four times.
// Limits    Waiting. Load, barrier, multiply, barrier: tensor cores and memory take turns, and with
//           one tile there is nothing to do meanwhile.
// Look at   The share of the tensor ceiling, beside that of any fp32 rung of theirs.
// Source    CUDA C++ Programming Guide, "Warp Matrix Functions".
#include <mma.h>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/padding.h"
#include "kernels/runtime/cuda/tensor_element.h"
#include "kernels/runtime/problems/gemm.h"

namespace {

using namespace ridge;
using namespace nvcuda;

constexpr int kTileM = 128, kTileN = 128, kTileK = 32, kPiece = 8;  // elements in 16 bytes
constexpr int kWarpM = 64, kWarpN = 32, kWarpsN = kTileN / kWarpN;
constexpr int kThreads = 32 * (kTileM / kWarpM) * kWarpsN;
constexpr int kPad = 8;  // rows 16 bytes longer: eight of them then begin in different banks
constexpr int kBf16Arch = 80;

/// What a fragment's number is called. bf16 below sm_80: only to compile, launch() refuses it.
template <typename Out>
struct OnThisArch {
  using Type = __half;
};
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template <>
struct OnThisArch<Bfloat> {
  using Type = __nv_bfloat16;
};
#endif

/// rows x columns of a matrix from (row0, column0) on, zero outside of it.
template <int rows, int columns, typename Number>
__device__ void load_tile(const void* matrix, int64_t ld, int64_t row0, int64_t column0,
                          int64_t end_row, int64_t end_column,
                          Number (&tile)[rows][columns + kPad]) {
  constexpr int kPieces = columns / kPiece;
#pragma unroll
  for (int i = static_cast<int>(threadIdx.x); i < rows * kPieces; i += kThreads) {
    const int row = i / kPieces, column = i % kPieces * kPiece;
    const bool inside = row0 + row < end_row && column0 + column < end_column;
    const auto* from = static_cast<const uint16_t*>(matrix) + (row0 + row) * ld + column0 + column;
    *reinterpret_cast<uint4*>(&tile[row][column]) =
        inside ? *reinterpret_cast<const uint4*>(from) : make_uint4(0, 0, 0, 0);
  }
}

template <typename Out>
__global__ void __launch_bounds__(kThreads)
    gemm_wmma_kernel(AlignedOperands in, Out* __restrict__ c, int64_t m, int64_t n, int64_t k,
                     int64_t tiles_n) {
  using Number = typename OnThisArch<Out>::Type;
  using Sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
  __shared__ __align__(32) Number tile_a[kTileM][kTileK + kPad], tile_b[kTileK][kTileN + kPad];
  __shared__ __align__(32) float patches[kThreads / 32][16 * 16];
  const int64_t row0 = blockIdx.x / tiles_n * kTileM, column0 = blockIdx.x % tiles_n * kTileN;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int warp_row = warp / kWarpsN * kWarpM, warp_column = warp % kWarpsN * kWarpN;

  Sums acc[kWarpM / 16][kWarpN / 16];
  for (auto& row : acc)
    for (Sums& sum : row) wmma::fill_fragment(sum, 0.0f);
  for (int64_t k0 = 0; k0 < k; k0 += kTileK) {
    load_tile<kTileM, kTileK>(in.a, in.lda, row0, k0, m, k, tile_a);
    load_tile<kTileK, kTileN>(in.b, in.ldb, k0, column0, k, n, tile_b);
    __syncthreads();
#pragma unroll
    for (int step = 0; step < kTileK; step += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, Number, wmma::row_major> a[kWarpM / 16];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, Number, wmma::row_major> b[kWarpN / 16];
#pragma unroll
      for (int i = 0; i < kWarpM / 16; ++i)
        wmma::load_matrix_sync(a[i], &tile_a[warp_row + 16 * i][step], kTileK + kPad);
#pragma unroll
      for (int j = 0; j < kWarpN / 16; ++j)
        wmma::load_matrix_sync(b[j], &tile_b[step][warp_column + 16 * j], kTileN + kPad);
#pragma unroll
      for (int i = 0; i < kWarpM / 16; ++i)
#pragma unroll
        for (int j = 0; j < kWarpN / 16; ++j) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }

  // Only by way of memory does one learn which element is whose.
#pragma unroll
  for (int i = 0; i < kWarpM / 16; ++i) {
#pragma unroll
    for (int j = 0; j < kWarpN / 16; ++j) {
      wmma::store_matrix_sync(patches[warp], acc[i][j], 16, wmma::mem_row_major);
      __syncwarp();
      const int64_t row = row0 + warp_row + 16 * i + lane / 2;
      const int64_t column = column0 + warp_column + 16 * j + lane % 2 * 8;
      for (int e = 0; e < 8; ++e) {
        if (row < m && column + e < n) c[row * n + column + e] = Out(patches[warp][lane * 8 + e]);
      }
      __syncwarp();
    }
  }
}

template <typename Out>
Status multiply(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  AlignedOperands in;
  if (const Status s = align_operands(launch, &in); !s.ok()) return s;
  const int64_t tiles_m = (g.m + kTileM - 1) / kTileM, tiles_n = (g.n + kTileN - 1) / kTileN;
  gemm_wmma_kernel<<<static_cast<unsigned>(tiles_m * tiles_n), kThreads, 0,
                     static_cast<cudaStream_t>(g.stream)>>>(
      in, static_cast<Out*>(launch.buffers[kGemmC]), g.m, g.n, g.k, tiles_n);
  return RIDGE_CUDA_LAUNCHED(gemm_wmma_kernel);
}

Status prepare(const Shape& shape, Plan* plan) {
  int device = 0, major = 0;
  RIDGE_CUDA_CHECK(cudaGetDevice(&device));
  RIDGE_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  if (shape.dtype == DType::bf16 && major * 10 < kBf16Arch)
    return refuse("bf16 needs tensor cores of sm_80 or later");
  return prepare_padding(shape, plan);
}

Status launch(const Launch& launch) {
  return with_element<device::Bf16, device::Fp16>(
      launch.shape.dtype, [&]<typename E>(E) { return multiply<typename E::Out>(launch); });
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, wmma, .dtypes = "fp16 bf16", .prepare = prepare, .launch = launch);
