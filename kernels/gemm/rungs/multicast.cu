// ridge: arch=90a
//
// Idea      Two blocks of a cluster, on neighbouring SMs, take tiles one below the other: they need
//           the same tile of B. Each loads half of it and the copy engine delivers it to both.
// Changed   The L2 is asked for 32 bytes a clock and SM instead of 48. A stage is empty only when
//           the consumers of *both* blocks have read it; each block tells the other as well.
// Limits    The time in which sums are stored, as before: at 4096 this step alone gains nothing.
// Look at   It again, once the next rung is there: the order of steps decides which of them pays.
// Source    PTX ISA, "cp.async.bulk.tensor", .multicast::cluster; pranjalssh/fast.cu, kernel 8.
#include "kernels/runtime/cuda/cluster_gemm.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tensor_gemm.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kTileM = 128, kTileN = 256, kStages = 4, kBand = 8, kCluster = 2;
constexpr int kConsumers = 256, kThreads = kConsumers + 128;

struct Shared {
  alignas(1024) unsigned char a[kStages][kTileM * kSliceBytes];
  alignas(1024) unsigned char b[kStages][kTileN * kSliceBytes];
  uint64_t full[kStages], empty[kStages];
};

template <typename Element>
__device__ void produce(Shared& shared, const TensorGemm& g) {
  constexpr int kHalfN = kTileN / kCluster;
  const int first = cluster_rank() * kHalfN;  // our half of B's tile
  RingPosition<kStages> at;
  for_each_cluster_tile<kTileM, kTileN, kCluster>(g.m, g.n, kBand, [&](int row, int column) {
    for (int k = 0; k < g.k; k += kSliceK<Element>) {
      mbarrier_wait(&shared.empty[at.stage], at.parity ^ 1);
      uint64_t* full = &shared.full[at.stage];
      mbarrier_arrive_expect(full, sizeof shared.a[0] + sizeof shared.b[0]);
      tma_load_2d(shared.a[at.stage], &g.a, k, row, full);
      load_b_multicast<Element, kHalfN, kCluster>(shared.b[at.stage] + first * kSliceBytes, &g.b,
                                                  column + first, k, full);
      at.advance();
    }
  });
}

template <typename Element>
__device__ void consume(Shared& shared, const TensorGemm& g) {
  const int half = static_cast<int>(threadIdx.x) / 128 * 64;  // this warpgroup's rows of the tile
  typename Element::Accumulator acc[kTileN / 2];
  RingPosition<kStages> at;
  for_each_cluster_tile<kTileM, kTileN, kCluster>(g.m, g.n, kBand, [&](int row, int column) {
    int before = 0;  // the stage whose multiplications were issued last
    for (int k = 0; k < g.k; k += kSliceK<Element>) {
      mbarrier_wait(&shared.full[at.stage], at.parity);
      wgmma_fence();
      wgmma_tile<Element, kTileN>(acc, shared.a[at.stage] + half * kSliceBytes, shared.b[at.stage], k > 0);
      wgmma_commit();
      wgmma_wait<1>();
      if (k > 0) mbarrier_arrive_everywhere<kCluster>(&shared.empty[before]);
      before = at.stage;
      at.advance();
    }
    wgmma_wait<0>();
    wgmma_touch(acc);
    mbarrier_arrive_everywhere<kCluster>(&shared.empty[before]);
    store_registers<Element, kTileN>(acc, g, row + half, column);
  });
}

template <typename Element>
__global__ void __cluster_dims__(kCluster) __launch_bounds__(kThreads, 1)
    gemm_multicast_kernel(const __grid_constant__ TensorGemm g) {
  extern __shared__ __align__(1024) unsigned char raw[];
  Shared& shared = *reinterpret_cast<Shared*>(raw);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], kCluster * kConsumers / 32);
    }
    fence_mbarrier_init();
  }
  cluster_sync();
  if (threadIdx.x < kConsumers) {
    take_registers<232>();
    consume<Element>(shared, g);
  } else {
    give_registers<40>();
    if (threadIdx.x == kConsumers) produce<Element>(shared, g);
  }
  cluster_sync();  // the other may still write into our shared memory
}

constexpr TensorGrid kGrid = {kTileM, kTileN, kThreads, sizeof(Shared), true, kCluster};
constexpr auto kKernel = []<typename Element>(Element) { return gemm_multicast_kernel<Element>; };

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_tensor_gemm(kKernel, kGrid, shape, plan);
}

Status launch(const Launch& launch) {
  return launch_tensor_gemm(kKernel, kGrid, launch);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, multicast, .dtypes = "bf16 fp16 tf32 fp8 int8", .prepare = prepare,
             .launch = launch);
