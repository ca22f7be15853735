// ridge: arch=80
//
// Idea      Three levels of tiles, as the machine has: 128 x 256 of C for a block (shared memory), 64
//           x 64 for a warp (one scheduler's work), 16 x 8 for a thread (registers). 24 values read
//           feed 128 FMAs, where 16 fed 64.
// Changed   Each warp owns a square of C, and reads only its rows of A and columns of B. A thread's
//           operands of the next step of k are loaded while those of this one are multiplied.
// Limits    The register file. Its two banks give two values a clock, an FFMA takes three: one must be
//           left over from the FFMA before (.reuse), and the other two must lie in different banks.
// Look at   SASS: .reuse, and which sums are even registers. When the compiler keeps the sums in the
//           order of C's 16-byte stores they share the bank of the operand they meet (ffma_tile.h).
// Source    CUTLASS, "Efficient GEMM in CUDA" (warp and thread tiles); bank and .reuse rules after
//           Z. Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking (2018).
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/cp_async.h"
#include "kernels/runtime/cuda/ffma_tile.h"
#include "kernels/runtime/cuda/padding.h"

namespace {

using namespace ridge::device;

constexpr int kTileM = 128, kTileN = 256, kTileK = 16, kStages = 4;
constexpr int kUnroll = 8;         // 1024 FFMAs: a longer loop leaves the instruction cache
constexpr int kThreads = 256;      // 2 x 4 warps
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

__global__ void __launch_bounds__(kThreads, 1)
    gemm_warp_tile_kernel(Operands in, float* __restrict__ c, int64_t tiles_n, float one) {
  extern __shared__ Stage stages[];
  const int64_t row0 = blockIdx.x / tiles_n * kTileM, col0 = blockIdx.x % tiles_n * kTileN;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int first_row = warp / 4 * kWarpM + lane_y(lane) * 4;
  const int first_col = warp % 4 * kWarpN + lane_x(lane) * 4;
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
  cp_async_wait<kStages - 2>();
  __syncthreads();
  uint32_t a = shared_address(&stages[0].a[0][first_row]);
  uint32_t b = shared_address(&stages[0].b[0][first_col]);
  float fa[2][kThreadM], fb[2][kThreadN], acc[kThreadM][kThreadN] = {};
  load_fragments(fa[0], fb[0], a, b);
  for (int tile = 0; tile < tiles_k; ++tile) {
#pragma unroll 1
    for (int half = 0; half < kTileK / kUnroll; ++half) {
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        const bool last = i == kUnroll - 1;  // loads the first step of the next half or tile
        if (last && half == kTileK / kUnroll - 1) {
          copy_next();
          cp_async_wait<kStages - 2>();
          __syncthreads();  // the next tile is there, and all have read this one
          a = shared_address(&stages[(tile + 1) % kStages].a[0][first_row]);
          b = shared_address(&stages[(tile + 1) % kStages].b[0][first_col]);
        } else if (last) {
          a += kUnroll * sizeof(stages->a[0]);
          b += kUnroll * sizeof(stages->b[0]);
        }
        const int step = last ? 0 : i + 1;
        load_fragments(fa[(i + 1) % 2], fb[(i + 1) % 2], a + step * sizeof(stages->a[0]),
                       b + step * sizeof(stages->b[0]));
        multiply<Walk::rows>(acc, fa[i % 2], fb[i % 2]);
      }
    }
  }
  if (in.n % 4 == 0) {
    store_acc<true>(acc, one, c, in.m, in.n, row0 + first_row, col0 + first_col);
  } else {
    store_acc<false>(acc, one, c, in.m, in.n, row0 + first_row, col0 + first_col);
  }
}

ridge::Status prepare(const ridge::Shape& shape, ridge::Plan* plan) {
  RIDGE_CUDA_CHECK(cudaFuncSetAttribute(gemm_warp_tile_kernel,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  return ridge::prepare_padding(shape, plan, ridge::OperandA::unchanged);
}

ridge::Status launch(const ridge::Launch& launch) {
  const ridge::Gemm g = ridge::gemm_of(launch);
  ridge::AlignedOperands in;
  if (const auto status = ridge::align_operands(launch, &in); !status.ok()) return status;
  const int64_t tiles_m = (g.m + kTileM - 1) / kTileM, tiles_n = (g.n + kTileN - 1) / kTileN;
  gemm_warp_tile_kernel<<<static_cast<unsigned>(tiles_m * tiles_n), kThreads, kSharedBytes,
                          static_cast<cudaStream_t>(g.stream)>>>(
      {static_cast<const float*>(in.a), static_cast<const float*>(in.b), in.lda, in.ldb, g.m, g.n,
       g.k},
      g.c, tiles_n, 1.0f);
  return RIDGE_CUDA_LAUNCHED(gemm_warp_tile_kernel);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, warp_tile, .dtypes = "fp32", .prepare = prepare, .launch = launch);
