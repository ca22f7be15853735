// ridge: arch=80
//
// Idea      Let the hardware carry. An asynchronous copy goes from device memory to shared memory past
//           the registers, and the thread does not wait for it.
// Changed   Four stages of tiles in shared memory: while one is multiplied the next three are on their
//           way. One barrier a tile instead of two. A is still transposed, now by the copies: 4 bytes
//           each, since the places of a row of A lie apart in shared memory. Tiles are 16 deep, for
//           fewer barriers.
// Limits    Reads of shared memory: four of 16 bytes for 64 FMAs, and each must return before the FMAs
//           that need it. The four 4 x 4 blocks of a thread are spread over the whole tile.
// Look at   The FFMAs in SASS are the same as before. Only the waiting went.
// Source    NVIDIA CUDA C++ Programming Guide, "Asynchronous Data Copies"; the multistage pipeline
//           of CUTLASS's SIMT kernels.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemm/rungs/store_4.h"
#include "kernels/runtime/cuda/cp_async.h"
#include "kernels/runtime/cuda/padding.h"

namespace {

using namespace ridge::device;

constexpr int kTileM = 128, kTileN = 128, kTileK = 16, kStages = 4;
constexpr int kThreads = 256;      // 16 x 16, each with 2 x 2 blocks of 4 x 4
constexpr int kRowA = kTileM + 4;  // so that the copies of a warp fall into 32 different banks
struct Stage {
  float a[kTileK][kRowA];  // transposed
  float b[kTileK][kTileN];
};
constexpr int kSharedBytes = kStages * sizeof(Stage);

struct Operands {
  const float *a, *b;
  int64_t lda, ldb, m, n, k;
};

/// Asks for the tiles that begin at a and b; `rows`, `columns` and `depth` are what is left of the
/// matrices from there, and what lies beyond becomes zero.
__device__ void copy_stage(Stage* to, const float* a, int64_t lda, const float* b, int64_t ldb,
                           int rows, int columns, int depth) {
  const int thread = static_cast<int>(threadIdx.x);
  const int a_col = thread % 8, a_row = thread / 8;  // a warp: 4 rows of A, 8 of k
  a += a_row * lda + a_col;
#pragma unroll
  for (int i = 0; i < kTileM * kTileK / kThreads; ++i) {
    const int col = i % 2 * 8, row = i / 2 * 32;
    cp_async_4(shared_address(&to->a[a_col + col][a_row + row]), a + row * lda + col,
               a_row + row < rows && a_col + col < depth);
  }
  const int b_col = thread % (kTileN / 4) * 4, b_row = thread / (kTileN / 4);
  b += b_row * ldb + b_col;
#pragma unroll
  for (int i = 0; i < kTileK * kTileN / 4 / kThreads; ++i) {
    const int row = i * (kThreads * 4 / kTileN);
    cp_async_16(shared_address(&to->b[b_row + row][b_col]), b + row * ldb,
                b_row + row < depth && b_col < columns);
  }
  cp_async_commit();
}

__global__ void __launch_bounds__(kThreads, 2)
    gemm_cp_async_kernel(Operands in, float* __restrict__ c, int64_t tiles_n) {
  extern __shared__ Stage stages[];
  const int64_t row0 = blockIdx.x / tiles_n * kTileM, col0 = blockIdx.x % tiles_n * kTileN;
  const int thread = static_cast<int>(threadIdx.x);
  const int first_row = thread / 16 * 4, first_col = thread % 16 * 4;
  const int tiles_k = static_cast<int>((in.k + kTileK - 1) / kTileK);

  const float* a_tile = in.a + row0 * in.lda;  // of the next stage to copy
  const float* b_tile = in.b + col0;
  const int rows = static_cast<int>(min(in.m - row0, int64_t{kTileM}));
  const int columns = static_cast<int>(min(in.n - col0, int64_t{kTileN}));
  int depth = static_cast<int>(in.k), copied = 0;
  const auto copy_next = [&] {
    copy_stage(stages + copied % kStages, a_tile, in.lda, b_tile, in.ldb, rows, columns, depth);
    a_tile += kTileK;
    b_tile += kTileK * in.ldb;
    depth -= kTileK;
    ++copied;
  };
  for (int i = 0; i < kStages - 1; ++i) copy_next();
  float acc[8][8] = {};
  for (int tile = 0; tile < tiles_k; ++tile) {
    cp_async_wait<kStages - 2>();
    // Tile `tile` is there for all threads, and all are done with tile - 1: its place is free.
    __syncthreads();
    copy_next();
    const Stage& stage = stages[tile % kStages];
#pragma unroll
    for (int i = 0; i < kTileK; ++i) {
      float value_a[8], value_b[8];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        load_shared_4(value_a + 4 * h, shared_address(&stage.a[i][first_row + 64 * h]));
        load_shared_4(value_b + 4 * h, shared_address(&stage.b[i][first_col + 64 * h]));
      }
#pragma unroll
      for (int r = 0; r < 8; ++r) {
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[r][j] += value_a[r] * value_b[j];
      }
    }
  }
#pragma unroll
  for (int r = 0; r < 8; ++r) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const float* s = acc[r] + 4 * h;
      store_4(c, in.m, in.n, row0 + first_row + r / 4 * 64 + r % 4, col0 + first_col + h * 64,
              make_float4(s[0], s[1], s[2], s[3]));
    }
  }
}

ridge::Status prepare(const ridge::Shape& shape, ridge::Plan* plan) {
  RIDGE_CUDA_CHECK(cudaFuncSetAttribute(gemm_cp_async_kernel,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  return ridge::prepare_padding(shape, plan, ridge::OperandA::unchanged);
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Gemm g = ridge::gemm_of(launch);
  ridge::AlignedOperands in;
  if (const auto status = ridge::align_operands(launch, &in); !status.ok()) return status;
  const int64_t tiles_m = (g.m + kTileM - 1) / kTileM, tiles_n = (g.n + kTileN - 1) / kTileN;
  gemm_cp_async_kernel<<<static_cast<unsigned>(tiles_m * tiles_n), kThreads, kSharedBytes,
                         static_cast<cudaStream_t>(g.stream)>>>(
      {static_cast<const float*>(in.a), static_cast<const float*>(in.b), in.lda, in.ldb, g.m, g.n,
       g.k},
      g.c, tiles_n);
  return RIDGE_CUDA_LAUNCHED(gemm_cp_async_kernel);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, cp_async, .dtypes = "fp32", .prepare = prepare, .launch = launch);
