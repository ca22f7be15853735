// ridge: arch=90a
//
// Idea      One kernel, four tiles. Large ones multiply best where there are enough of them; but
//           1024 x 1024 makes 64 tiles of 128 x 128, for 132 SMs. So the launcher reckons how many
//           rounds the SMs take with each tile and how long a round is (tile_choice.h), and
//           launches the cheapest.
// Changed   The tile is a template parameter. And launches overlap (programmatic dependent launch):
//           the next grid sets up its barriers while this one ends, and waits before its first
//           load.
// Limits    Power: from 2048 on the clock falls until the chip keeps to it. At 1024, the time from
//           the launch to the first tile in shared memory.
// Look at   1024 and below; then 1536 and 3072, where the choice falls on the tile of 192 rows.
// Source    CUDA Programming Guide, "Programmatic Dependent Launch"; CUTLASS tile heuristics.
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tile_choice.h"
#include "kernels/runtime/cuda/tile_order.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kCluster = kTileCluster;

template <typename Element, typename T>
__device__ void produce(typename T::Shared& shared, const TensorGemm& g) {
  constexpr int kHalfN = T::kN / kCluster;
  const int first = static_cast<int>(cluster_rank()) * kHalfN;
  tma_prefetch_map(&g.a);
  tma_prefetch_map(&g.b);
  cudaGridDependencySynchronize();  // the grid before may still write A, or read C
  RingPosition<T::kStages> at;
  for_each_cluster_tile<T::kM, T::kN, kCluster>(g.m, g.n, T::kBand, [&](int row, int column) {
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

template <typename Element, typename T>
__device__ void consume(typename T::Shared& shared, const TensorGemm& g) {
  const int group = static_cast<int>(threadIdx.x) / 128;
  const int first = T::kTurns ? 0 : group * T::kBlocks * 64;  // this warpgroup's rows of the tile
  typename Element::Sum sums[T::kBlocks][T::kN / 2];
  RingPosition<T::kStages> at;
  int turn = 0;
  if (T::kTurns && group == 1) pass_turn_to(0);
  for_each_cluster_tile<T::kM, T::kN, kCluster>(g.m, g.n, T::kBand, [&](int row, int column) {
    if constexpr (T::kTurns) {
      if (turn++ % 2 != group) return at.skip(ceil_div(g.k, kSliceK<Element>));
      wait_for_turn(group);
    }
    int before = 0;
    for (int k = 0; k < g.k; k += kSliceK<Element>) {
      mbarrier_wait(&shared.full[at.stage], at.parity);
      wgmma_fence();
#pragma unroll
      for (int i = 0; i < T::kBlocks; ++i) {
        wgmma_tile<Element, T::kN>(sums[i], shared.a[at.stage] + (first + i * 64) * kSliceBytes,
                                   shared.b[at.stage], k > 0);
      }
      wgmma_commit();
      wgmma_wait<1>();
      if (k > 0) mbarrier_arrive_everywhere<kCluster>(&shared.empty[before]);
      before = at.stage;
      at.advance();
    }
    if constexpr (T::kTurns) pass_turn_to(1 - group);
    wgmma_wait<0>();
    mbarrier_arrive_everywhere<kCluster>(&shared.empty[before]);
#pragma unroll
    for (int i = 0; i < T::kBlocks; ++i) {
      store_tile<Element, T::kN>(sums[i], g, row + first + i * 64, column, shared.strips[group]);
    }
  });
  if (T::kTurns && turn % 2 == group) wait_for_turn(group);  // so that no turn is left over
  bulk_wait_read<0>();
}

template <typename Element, typename T>
__global__ void __cluster_dims__(kCluster) __launch_bounds__(T::kThreads, 1)
    gemm_tuned_kernel(const __grid_constant__ TensorGemm g) {
  extern __shared__ __align__(1024) unsigned char raw[];
  auto& shared = *reinterpret_cast<typename T::Shared*>(raw);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < T::kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], kCluster * T::kReaders);
    }
    fence_mbarrier_init();
  }
  cluster_sync();
  cudaTriggerProgrammaticLaunchCompletion();  // the next grid may come as soon as there is room
  if (threadIdx.x < T::kConsumers) {
    if constexpr (T::kHandsOver) take_registers<232>();
    consume<Element, T>(shared, g);
  } else {
    if constexpr (T::kHandsOver) give_registers<40>();
    if (threadIdx.x == T::kConsumers) produce<Element, T>(shared, g);
  }
  cluster_sync();
}

template <typename Element, typename T>
Status launch_tile(const Launch& launch) {
  TensorGemm g;
  const Status s = describe_gemm<Element>(launch, T::kM, T::kN / kCluster, &g);
  if (!s.ok()) return s;
  const int blocks = min(T::clusters(g.m, g.n), sm_count() / kCluster) * kCluster;
  return launch_overlapped(gemm_tuned_kernel<Element, T>, blocks, T::kThreads,
                           sizeof(typename T::Shared), launch, g);
}

Status prepare(const Shape& shape, Plan* plan) {
  return with_best_tile(shape, [&]<typename T>(T*) {
    return with_tensor_element(shape.dtype, [&]<typename E>(E) {
      const auto* kernel = reinterpret_cast<const void*>(gemm_tuned_kernel<E, T>);
      return prepare_tensor_gemm(kernel, sizeof(typename T::Shared), shape, plan);
    });
  });
}

Status launch(const Launch& launch) {
  return with_best_tile(launch.shape, [&]<typename T>(T*) {
    return with_tensor_element(launch.shape.dtype,
                               [&]<typename E>(E) { return launch_tile<E, T>(launch); });
  });
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, tuned, .dtypes = "bf16 fp16 tf32 fp8 int8", .prepare = prepare,
             .launch = launch);
