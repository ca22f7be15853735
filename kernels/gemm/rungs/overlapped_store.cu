// ridge: arch=90a stamped=yes
//
// Idea      C leaves as A and B came: by the copy engine. A warpgroup writes 128-byte wide strips
//           of its sums into shared memory (stmatrix: four 8 x 8 blocks an instruction, swizzled,
//           without bank conflicts) and one thread asks for the store, two strips at a time.
// Changed   Whole lines are written, by few instructions, and nobody waits for them. 32 KiB for the
//           strips are what four stages leave of shared memory: a buffer for the whole tile would
//           cost a stage. Where C's rows are not aligned to 16 bytes, sums go out as before.
// Limits    Both warpgroups still end their tile together. At large sizes power; at small ones the
//           number of tiles.
// Look at   fence_shared_for_async(): ordinary stores are followed by a copy of the other proxy.
//           Left out, it is a race that no run need ever show.
// Source    PTX ISA, "stmatrix", "Async proxy"; CUTLASS sm90 epilogue; pranjalssh/fast.cu, kernel
//           10.
#include "kernels/runtime/cuda/cluster_gemm.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/store_strips.h"
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
    store<Element>(acc, g, row + half, column, shared.strips[half / 64]);
  });
  bulk_wait_read<0>();  // the strips must outlive the copies
}

template <typename Element>
__global__ void __cluster_dims__(kCluster) __launch_bounds__(kThreads, 1)
    gemm_overlapped_store_kernel(const __grid_constant__ TensorGemm g) {
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
constexpr auto kKernel = []<typename Element>(Element) { return gemm_overlapped_store_kernel<Element>; };

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_tensor_gemm(kKernel, kGrid, shape, plan);
}

Status launch(const Launch& launch) {
  return launch_tensor_gemm(kKernel, kGrid, launch);
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, overlapped_store, .dtypes = "bf16 fp16 tf32 fp8 int8", .prepare = prepare,
             .launch = launch);
