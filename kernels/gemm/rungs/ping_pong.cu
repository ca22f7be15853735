// ridge: arch=90a stamped=yes
//
// Idea      The two consumer warpgroups take turns: each has a 128 x 128 tile of its own, and while
//           one stores, the other multiplies. Alone, a warpgroup keeps the tensor cores as busy as
//           two.
// Changed   Until now both warpgroups ended their tile together, and the tensor cores rested while
//           64 KiB and more left the SM; with 8-bit types, whose tiles take half the time, most of
//           all. The narrower tile asks the L2 for half as many bytes again, and that costs less.
// Limits    Power. A turn also orders the waiting: a wait by parity cannot tell a phase of the ring
//           from the one two before it.
// Look at   int8, where C is four times as wide as A and B; and utilization at 8192.
// Source    CUTLASS, "ping-pong" warp-specialized kernels.
#include "common/core/ceil_div.h"
#include "kernels/runtime/cuda/cluster_gemm.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/store_strips.h"
#include "kernels/runtime/cuda/tensor_gemm.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kTileM = 128, kTileN = 128, kStages = 6, kBand = 8, kCluster = 2;
constexpr int kConsumers = 256, kThreads = kConsumers + 128;

struct Shared {
  alignas(1024) unsigned char a[kStages][kTileM * kSliceBytes];
  alignas(1024) unsigned char b[kStages][kTileN * kSliceBytes];
  alignas(1024) unsigned char strips[kConsumers / 128][2][kStripBytes];
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

/// By the copy engine where it can write C, else from the registers.
template <typename Element>
__device__ __forceinline__ void store(const typename Element::Accumulator (&acc)[kTileN / 2], const TensorGemm& g,
                                      int row, int column, unsigned char (&strips)[2][kStripBytes]) {
  if (g.c_rows_aligned) return store_strips<Element, kTileN>(acc, g.c, row, column, strips);
  store_registers<Element, kTileN>(acc, g, row, column);
}

template <typename Element>
__device__ void consume(Shared& shared, const TensorGemm& g) {
  const int group = static_cast<int>(threadIdx.x) / 128;
  typename Element::Accumulator upper[kTileN / 2], lower[kTileN / 2];
  RingPosition<kStages> at;
  int turn = 0;
  if (group == 1) pass_turn_to(0);
  for_each_cluster_tile<kTileM, kTileN, kCluster>(g.m, g.n, kBand, [&](int row, int column) {
    if (turn++ % 2 != group) return at.skip(ceil_div(g.k, kSliceK<Element>));
    wait_for_turn(group);
    int before = 0;  // the stage whose multiplications were issued last
    for (int k = 0; k < g.k; k += kSliceK<Element>) {
      mbarrier_wait(&shared.full[at.stage], at.parity);
      const unsigned char *a = shared.a[at.stage], *b = shared.b[at.stage];
      wgmma_fence();
      wgmma_tile<Element, kTileN>(upper, a, b, k > 0);
      wgmma_tile<Element, kTileN>(lower, a + 64 * kSliceBytes, b, k > 0);
      wgmma_commit();
      wgmma_wait<1>();
      if (k > 0) mbarrier_arrive_everywhere<kCluster>(&shared.empty[before]);
      before = at.stage;
      at.advance();
    }
    pass_turn_to(1 - group);
    wgmma_wait<0>();
    wgmma_touch(upper);
    wgmma_touch(lower);
    mbarrier_arrive_everywhere<kCluster>(&shared.empty[before]);
    store<Element>(upper, g, row, column, shared.strips[group]);
    store<Element>(lower, g, row + 64, column, shared.strips[group]);
  });
  if (turn % 2 == group) wait_for_turn(group);  // so that no turn is left over
  bulk_wait_read<0>();                          // the strips must outlive the copies
}

template <typename Element>
__global__ void __cluster_dims__(kCluster) __launch_bounds__(kThreads, 1)
    gemm_ping_pong_kernel(const __grid_constant__ TensorGemm g) {
  extern __shared__ __align__(1024) unsigned char raw[];
  Shared& shared = *reinterpret_cast<Shared*>(raw);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], kCluster * 4);  // one warpgroup reads a stage
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
constexpr auto kKernel = []<typename Element>(Element) { return gemm_ping_pong_kernel<Element>; };

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_tensor_gemm(kKernel, kGrid, shape, plan);
}

Status launch(const Launch& launch) {
  return launch_tensor_gemm(kKernel, kGrid, launch);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, ping_pong, .dtypes = "bf16 fp16 tf32 fp8 int8", .prepare = prepare,
             .launch = launch);
