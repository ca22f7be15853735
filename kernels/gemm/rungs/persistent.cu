// ridge: arch=90a stamped=yes
//
// Idea      One block for each SM, which stays and takes tile after tile: while the consumers store
//           a tile, the producer already loads the next. And the order of the tiles becomes ours:
//           bands of 16 tile rows, so that blocks running at the same time share rows and columns
//           in the L2.
// Changed   The ring runs on over the ends of tiles; launch, barriers and the first fill of the
//           ring are paid once.
// Limits    The tensor cores still rest while the consumers store their sums. And all SMs together
//           ask the L2 for 48 bytes a clock each.
// Look at   Sizes whose tiles do not fill whole rounds of the SMs.
// Source    CUTLASS, persistent tile scheduler; pranjalssh/fast.cu, kernel 6.
#include "common/core/ceil_div.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tensor_gemm.h"
#include "kernels/runtime/cuda/tile_order.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kTileM = 128, kTileN = 256, kStages = 4, kBand = 16;
constexpr int kConsumers = 256, kThreads = kConsumers + 128;

struct Shared {
  alignas(1024) unsigned char a[kStages][kTileM * kSliceBytes];
  alignas(1024) unsigned char b[kStages][kTileN * kSliceBytes];
  uint64_t full[kStages], empty[kStages];
};

/// Calls work(row, column) for every tile of this block.
template <typename Work>
__device__ void for_each_tile(const TensorGemm& g, Work work) {
  const int tiles_m = ceil_div(g.m, kTileM), tiles_n = ceil_div(g.n, kTileN);
  for (int i = static_cast<int>(blockIdx.x); i < tiles_m * tiles_n; i += gridDim.x) {
    const TileAt tile = tile_at(i, tiles_m, tiles_n, kBand);
    work(tile.row * kTileM, tile.column * kTileN);
  }
}

template <typename Element>
__device__ void produce(Shared& shared, const TensorGemm& g) {
  RingPosition<kStages> at;
  for_each_tile(g, [&](int row, int column) {
    for (int k = 0; k < g.k; k += kSliceK<Element>) {
      mbarrier_wait(&shared.empty[at.stage], at.parity ^ 1);
      uint64_t* full = &shared.full[at.stage];
      mbarrier_arrive_expect(full, sizeof shared.a[0] + sizeof shared.b[0]);
      tma_load_2d(shared.a[at.stage], &g.a, k, row, full);
      load_b<Element, kTileN>(shared.b[at.stage], &g.b, column, k, full);
      at.advance();
    }
  });
}

template <typename Element>
__device__ void consume(Shared& shared, const TensorGemm& g) {
  const int half = static_cast<int>(threadIdx.x) / 128 * 64;  // this warpgroup's rows of the tile
  typename Element::Accumulator acc[kTileN / 2];
  RingPosition<kStages> at;
  for_each_tile(g, [&](int row, int column) {
    int before = 0;  // the stage whose multiplications were issued last
    for (int k = 0; k < g.k; k += kSliceK<Element>) {
      mbarrier_wait(&shared.full[at.stage], at.parity);
      wgmma_fence();
      wgmma_tile<Element, kTileN>(acc, shared.a[at.stage] + half * kSliceBytes, shared.b[at.stage], k > 0);
      wgmma_commit();
      wgmma_wait<1>();
      if (k > 0 && threadIdx.x % 32 == 0) mbarrier_arrive(&shared.empty[before]);
      before = at.stage;
      at.advance();
    }
    wgmma_wait<0>();
    wgmma_touch(acc);
    if (threadIdx.x % 32 == 0) mbarrier_arrive(&shared.empty[before]);
    store_registers<Element, kTileN>(acc, g, row + half, column);
  });
}

template <typename Element>
__global__ void __launch_bounds__(kThreads, 1)
    gemm_persistent_kernel(const __grid_constant__ TensorGemm g) {
  extern __shared__ __align__(1024) unsigned char raw[];
  Shared& shared = *reinterpret_cast<Shared*>(raw);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], kConsumers / 32);  // one thread of each warp arrives
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x < kConsumers) {
    take_registers<232>();
    consume<Element>(shared, g);
  } else {
    give_registers<40>();
    if (threadIdx.x == kConsumers) produce<Element>(shared, g);
  }
}

constexpr TensorGrid kGrid = {kTileM, kTileN, kThreads, sizeof(Shared), true};
constexpr auto kKernel = []<typename Element>(Element) { return gemm_persistent_kernel<Element>; };

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_tensor_gemm(kKernel, kGrid, shape, plan);
}

Status launch(const Launch& launch) {
  return launch_tensor_gemm(kKernel, kGrid, launch);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, persistent, .dtypes = "bf16 fp16 tf32 fp8 int8", .prepare = prepare,
             .launch = launch);
