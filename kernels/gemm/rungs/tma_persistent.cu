// ridge: arch=90a
//
// Idea      Let nobody who multiplies do anything else. A warp of its own asks the copy engine for
//           whole boxes, and blocks live on: the next tile's operands arrive while sums leave.
// Changed   TMA instead of twelve copies a thread a stage; mbarriers instead of a barrier for all, so
//           that warps may drift apart; one block an SM that walks over C in bands (L2 cache). TMA
//           cannot transpose 4-byte elements: A^T is made first, and timed (37 us at n = 4096).
// Limits    The issue of FFMAs: of 1109 instructions in the loop 1024 are FFMAs, and some wait for a
//           register bank. And 512 tiles on 132 SMs (n = 4096) are 3.88 waves of 4.
// Look at   The registers: 24 for the producer leave 240 for each thread that multiplies. With nine
//           plain warps the compiler's limit is 168, and sums are spilled. And Walk::columns: by rows
//           the same FFMAs took 2.70 ms, not 2.59 (n = 4096, timed apart); of 1024 in the loop 93 instead of
//           73 ask one bank for two values.
// Source    CUTLASS's warp-specialised persistent kernels, brought from tensor cores to FFMA.
#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/ffma_tile.h"
#include "kernels/runtime/cuda/padding.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tile_order.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kTileM = 128, kTileN = 256, kTileK = 32, kStages = 4, kBand = 8;
constexpr int kUnroll = 8, kParts = kTileK / kUnroll;  // more leaves the instruction cache
constexpr int kWarps = 8, kThreads = 256 + 128;  // 2 x 4 warps multiply; the last warpgroup loads
constexpr uint32_t kBytesA = kTileK * kTileM * 4, kBytesB = kTileK * kTileN * 4;  // of a stage
struct Shared {
  float a[kStages][kTileK][kTileM];  // transposed
  float b[kStages][kTileK][kTileN];
  uint64_t full[kStages], empty[kStages];
};
struct Tiles {
  int m, n, k, count;
};

__device__ void produce(Shared* shared, const CUtensorMap* a, const CUtensorMap* b, Tiles tiles) {
  RingPosition<kStages> at;
  for (int t = static_cast<int>(blockIdx.x); t < tiles.count; t += static_cast<int>(gridDim.x)) {
    const TileAt tile = tile_at(t, tiles.m, tiles.n, kBand);
    for (int i = 0; i < tiles.k; ++i) {
      uint64_t* full = shared->full + at.stage;
      mbarrier_wait(shared->empty + at.stage, at.parity ^ 1);
      mbarrier_arrive_expect(full, kBytesA + kBytesB);
      tma_load_2d(shared->a[at.stage], a, tile.row * kTileM, i * kTileK, full);
      tma_load_2d(shared->b[at.stage], b, tile.column * kTileN, i * kTileK, full);
      at.advance();
    }
  }
}

template <bool aligned>
__device__ void consume(Shared* shared, float* c, int64_t m, int64_t n, Tiles tiles, float one) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int first_row = warp / 4 * kWarpM + lane_y(lane) * 4;
  const int first_col = warp % 4 * kWarpN + lane_x(lane) * 4;
  const uint32_t a0 = shared_address(&shared->a[0][0][first_row]);
  const uint32_t b0 = shared_address(&shared->b[0][0][first_col]);
  const int blocks = static_cast<int>(gridDim.x), block = static_cast<int>(blockIdx.x);
  int left = (tiles.count - block + blocks - 1) / blocks * tiles.k;  // stages not yet waited for

  RingPosition<kStages> at, next;
  uint32_t a = a0, b = b0;
  float fa[2][kThreadM], fb[2][kThreadN];
  mbarrier_wait(shared->full, 0);
  load_fragments(fa[0], fb[0], a, b);
  next.advance();
  if (--left > 0) mbarrier_wait(shared->full + next.stage, next.parity);
  for (int t = block; t < tiles.count; t += blocks) {
    float acc[kThreadM][kThreadN] = {};
#pragma unroll 1
    for (int tile_k = 0; tile_k < tiles.k; ++tile_k) {
#pragma unroll 1
      for (int part = 0; part < kParts; ++part) {
        const bool stage_ends = part == kParts - 1;
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
          const bool last = i == kUnroll - 1;  // loads the first step of the next part or stage
          if (last && stage_ends) {
            a = a0 + next.stage * kBytesA;
            b = b0 + next.stage * kBytesB;
          } else if (last) {
            a += kUnroll * kTileM * 4;
            b += kUnroll * kTileN * 4;
          }
          const int step = last ? 0 : i + 1;
          load_fragments(fa[(i + 1) % 2], fb[(i + 1) % 2], a + step * kTileM * 4,
                         b + step * kTileN * 4);
          if (last && stage_ends) {
            __syncwarp();
            if (lane == 0) mbarrier_arrive(shared->empty + at.stage);
            at = next;
            next.advance();
            // One stage ahead: the first loads of a stage never wait.
            if (--left > 0) mbarrier_wait(shared->full + next.stage, next.parity);
          }
          multiply<Walk::columns>(acc, fa[i % 2], fb[i % 2]);
        }
      }
    }
    const TileAt tile = tile_at(t, tiles.m, tiles.n, kBand);
    store_acc<aligned>(acc, one, c, m, n, int64_t{tile.row} * kTileM + first_row,
                       int64_t{tile.column} * kTileN + first_col);
  }
}

template <bool aligned>  // rows of C begin at multiples of 16 bytes
__global__ void __launch_bounds__(kThreads, 1)
    gemm_tma_persistent_kernel(const __grid_constant__ CUtensorMap a,
                               const __grid_constant__ CUtensorMap b, float* __restrict__ c,
                               int64_t m, int64_t n, Tiles tiles, float one) {
  extern __shared__ __align__(128) unsigned char bytes[];
  auto* shared = reinterpret_cast<Shared*>(bytes);
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      mbarrier_init(shared->full + s, 1);
      mbarrier_init(shared->empty + s, kWarps);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= kWarps * 32) {
    give_registers<24>();
    if (threadIdx.x == kWarps * 32) produce(shared, &a, &b, tiles);
  } else {
    take_registers<240>();
    consume<aligned>(shared, c, m, n, tiles, one);
  }
}

auto* kernel_for(int64_t n) {
  return n % 4 == 0 ? gemm_tma_persistent_kernel<true> : gemm_tma_persistent_kernel<false>;
}

Status prepare(const Shape& shape, Plan* plan) {
  RIDGE_CUDA_CHECK(cudaFuncSetAttribute(kernel_for(shape.dim[kGemmN]),
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        sizeof(Shared)));
  return prepare_padding(shape, plan, OperandA::transposed);
}

Status launch(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  AlignedOperands in;
  if (const Status status = align_operands(launch, &in); !status.ok()) return status;
  constexpr auto kFloat = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  CUtensorMap a, b;
  const TensorMap2d map_a = {kFloat, in.a, g.k, g.m, in.lda * 4, kTileK, kTileM};
  const TensorMap2d map_b = {kFloat, in.b, g.k, g.n, in.ldb * 4, kTileK, kTileN};
  if (const Status status = encode_tensor_map(map_a, &a); !status.ok()) return status;
  if (const Status status = encode_tensor_map(map_b, &b); !status.ok()) return status;

  const int m = static_cast<int>(g.m), n = static_cast<int>(g.n), k = static_cast<int>(g.k);
  Tiles tiles = {ceil_div(m, kTileM), ceil_div(n, kTileN), ceil_div(k, kTileK), 0};
  tiles.count = tiles.m * tiles.n;
  const int blocks = min(sm_count(), tiles.count);
  kernel_for(g.n)<<<static_cast<unsigned>(blocks), kThreads, sizeof(Shared),
                    static_cast<cudaStream_t>(g.stream)>>>(a, b, g.c, g.m, g.n, tiles, 1.0f);
  return RIDGE_CUDA_LAUNCHED(gemm_tma_persistent_kernel);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, tma_persistent, .dtypes = "fp32", .prepare = prepare, .launch = launch);
