// ridge: arch=90a
//
// Idea      Near the power cap the clock is what the joules leave: the kernel that spends fewest on a FLOP runs
//           longest at a high clock. So the tile is the one that moves fewest bytes a FLOP, not the one
//           that takes fewest clocks.
// Changed   The tile is 128 x 256 again, shared by two warpgroups: a third fewer bytes come out of the L2 than
//           with two tiles of 128 x 128 that take turns, and an instruction of 64 x 256 reads fewer of shared
//           memory. And no more blocks start than the waves need: at 4096 64 clusters take as many waves
//           as 66, and an SM without a block draws less.
// Limits    The joules of the multiplications themselves. Both warpgroups end their tile together, so that at one
//           clock *tuned* is ahead; and below 2048 tiles are too few for the SMs.
// Look at   even_clusters(); then both verdicts of this rung against tuned.
// Source    cuBLAS' kernels of that size have tiles of 256 x 128 and 320 x 128 (their names say so).
#include <algorithm>

#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
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
  tma_prefetch_map(&g.a);
  tma_prefetch_map(&g.b);
  cudaGridDependencySynchronize();  // the grid before may still write A, or read C
  RingPosition<kStages> at;
  for_each_cluster_tile<kTileM, kTileN, kCluster>(g.m, g.n, kBand, [&](int row, int column) {
    for (int k = 0; k < g.k; k += kSliceK<Element>) {
      mbarrier_wait(&shared.empty[at.stage], at.parity ^ 1);
      uint64_t* full = &shared.full[at.stage];
      mbarrier_arrive_expect(full, sizeof shared.a[0] + sizeof shared.b[0]);
      tma_load_2d(shared.a[at.stage], &g.a, k, row, full);
      load_b_multicast<Element, kHalfN, kCluster>(shared.b[at.stage] + first * kSliceBytes, &g.b, column + first, k,
                                                  full);
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
    gemm_power_cap_kernel(const __grid_constant__ TensorGemm g) {
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
  cudaTriggerProgrammaticLaunchCompletion();  // the next grid may come as soon as there is room
  if (threadIdx.x < kConsumers) {
    take_registers<232>();
    consume<Element>(shared, g);
  } else {
    give_registers<40>();
    if (threadIdx.x == kConsumers) produce<Element>(shared, g);
  }
  cluster_sync();  // the other may still write into our shared memory
}

constexpr auto kKernel = []<typename Element>(Element) { return gemm_power_cap_kernel<Element>; };

Status prepare(const Shape& shape, Plan* plan) {
  constexpr TensorGrid kGrid = {kTileM, kTileN, kThreads, sizeof(Shared), true, kCluster, true};
  return prepare_tensor_gemm(kKernel, kGrid, shape, plan);
}

/// As few clusters as take no more waves than all that fit: 256 tiles of a cluster are four waves of 66, and of 64.
int even_clusters(int m, int n) {
  const int tiles = ceil_div(m, kCluster * kTileM) * ceil_div(n, kTileN);
  const int at_once = std::min(tiles, sm_count() / kCluster);
  return ceil_div(tiles, ceil_div(tiles, at_once));
}

Status launch(const Launch& launch) {
  return with_tensor_element(launch.shape.dtype, [&]<typename Element>(Element element) -> Status {
    TensorGemm g;
    if (Status s = describe_gemm<Element>(launch, kTileM, kTileN / kCluster, &g); !s.ok()) return s;
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = static_cast<unsigned>(even_clusters(g.m, g.n) * kCluster);
    config.blockDim = kThreads;
    config.dynamicSmemBytes = sizeof(Shared);
    config.stream = static_cast<cudaStream_t>(launch.stream);
    config.attrs = &overlap;
    config.numAttrs = 1;
    RIDGE_CUDA_CHECK(cudaLaunchKernelEx(&config, kKernel(element), g));
    return {};
  });
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, power_cap, .dtypes = "bf16 fp16 tf32 fp8 int8", .prepare = prepare, .launch = launch);
