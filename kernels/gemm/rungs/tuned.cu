// ridge: arch=90a
//
// Idea      One kernel, four tiles. Large ones multiply best where there are enough of them; but
//           1024 x 1024 makes 64 tiles of 128 x 128, for 132 SMs. So the launcher computes how many
//           waves each tile takes and how long a wave is, and launches the cheapest.
// Changed   The tile is a template parameter. And launches overlap (programmatic dependent launch):
//           the next grid sets up its barriers while this one ends, and waits before its first
//           load.
// Limits    Power: from 2048 on the clock falls until the chip keeps to it. At 1024, the time from
//           the launch to the first tile in shared memory.
// Look at   1024 and below; then 1536 and 3072, where the choice falls on the tile of 192 rows.
// Source    CUDA Programming Guide, "Programmatic Dependent Launch"; CUTLASS tile heuristics.
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

constexpr int kCluster = 2;  // blocks that share a tile of B

/// A consumer warpgroup has blocks x 64 rows and n columns of accumulators. Cooperative groups share a
/// tile; ping-pong groups have one each, and store it while the next one multiplies.
template <int groups, int blocks, int n, int stages, bool ping_pong>
struct Tile {
  static constexpr int kBlocks = blocks, kN = n, kStages = stages;
  static constexpr int kM = 64 * blocks * (ping_pong ? 1 : groups);
  static constexpr int kConsumers = 128 * groups, kThreads = kConsumers + 128;
  static constexpr int kReaders = ping_pong ? 4 : 4 * groups;  ///< warps that read a stage, per block
  static constexpr int kBand = 2048 / (kCluster * kM);         ///< 2048 rows, in tiles of a cluster
  static constexpr bool kPingPong = ping_pong, kHandsOver = blocks * n > 128;

  struct Shared {
    alignas(1024) unsigned char a[stages][kM * kSliceBytes];
    alignas(1024) unsigned char b[stages][kN * kSliceBytes];
    alignas(1024) unsigned char strips[groups][2][kStripBytes];
    uint64_t full[stages], empty[stages];
  };
  static_assert(sizeof(Shared) <= 227 * 1024);

  static int clusters(int m, int n_) { return ceil_div(m, kCluster * kM) * ceil_div(n_, kN); }
  /// Clocks for the product: waves of tiles, each a multiplication at full rate (of 64 x 256 x 128
  /// bytes in 512 clocks) and `store` clocks in which nobody multiplies.
  static int64_t clocks(int m, int n_, int slices, int percent, int store) {
    const int64_t waves = ceil_div(clusters(m, n_), sm_count() / kCluster);
    return waves * (int64_t{slices} * (kM * kN / 32) * 100 / percent + store);
  }
};

using PingPong = Tile<2, 2, 128, 6, true>;      // 128 x 128, as in ping_pong.cu
using Cooperative = Tile<2, 1, 256, 4, false>;  // 128 x 256, as in overlapped_store.cu
using ThreeGroups = Tile<3, 1, 128, 4, false>;  // 192 x 128: 1536 and 3072 in whole waves
using OneGroup = Tile<1, 1, 128, 8, false>;     // 64 x 128: as many blocks as SMs at 1024

/// PingPong hides its stores; Cooperative takes a third less from the L2. Cooperative is for a k so long that
/// stores hardly count (at 16384 in bf16 5 % faster than PingPong, at 8192 2 % slower), and for a
/// product of a single wave, where no later tile hides the last store.
bool prefers_cooperative(int m, int n, int slices) {
  const bool one_wave = Cooperative::clusters(m, n) <= sm_count() / kCluster;
  return slices >= 192 || (one_wave && slices >= 32);
}

/// Calls run(Tile*) for the tile that takes least. Rates and stores as measured on an H200.
template <typename Run>
Status with_best_tile(const Shape& shape, Run run) {
  const auto m = static_cast<int>(shape.dim[kGemmM]), n = static_cast<int>(shape.dim[kGemmN]);
  const int64_t k_bytes = shape.dim[kGemmK] * static_cast<int64_t>(dtype_size(shape.dtype));
  const auto slices = static_cast<int>(ceil_div(k_bytes, kSliceBytes));
  const bool is_cooperative = prefers_cooperative(m, n, slices);
  const int64_t large =
      is_cooperative ? Cooperative::clocks(m, n, slices, 99, 2600) : PingPong::clocks(m, n, slices, 98, 300);
  const int64_t tall = ThreeGroups::clocks(m, n, slices, 94, 1500);
  const int64_t small = OneGroup::clocks(m, n, slices, 75, 700);
  if (large <= tall && large <= small) {
    return is_cooperative ? run(static_cast<Cooperative*>(nullptr)) : run(static_cast<PingPong*>(nullptr));
  }
  return tall <= small ? run(static_cast<ThreeGroups*>(nullptr)) : run(static_cast<OneGroup*>(nullptr));
}

/// store_strips() where the copy engine can write C, store_registers() elsewhere.
template <typename Element, int n>
__device__ __forceinline__ void store_tile(const typename Element::Accumulator (&d)[n / 2], const TensorGemm& g,
                                           int row, int column, unsigned char (&strips)[2][kStripBytes]) {
  if (g.c_rows_aligned) {
    store_strips<Element, n>(d, g.c, row, column, strips);
  } else {
    store_registers<Element, n>(d, g, row, column);
  }
}

template <typename Element, typename T>
__device__ void produce(typename T::Shared& shared, const TensorGemm& g) {
  constexpr int kHalfN = T::kN / kCluster;
  const int first = cluster_rank() * kHalfN;
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
      load_b_multicast<Element, kHalfN, kCluster>(shared.b[at.stage] + first * kSliceBytes, &g.b, column + first, k,
                                                  full);
      at.advance();
    }
  });
}

template <typename Element, typename T>
__device__ void consume(typename T::Shared& shared, const TensorGemm& g) {
  const int group = static_cast<int>(threadIdx.x) / 128;
  const int first = T::kPingPong ? 0 : group * T::kBlocks * 64;  // this warpgroup's rows of the tile
  typename Element::Accumulator acc[T::kBlocks][T::kN / 2];
  RingPosition<T::kStages> at;
  int turn = 0;
  if (T::kPingPong && group == 1) pass_turn_to(0);
  for_each_cluster_tile<T::kM, T::kN, kCluster>(g.m, g.n, T::kBand, [&](int row, int column) {
    if constexpr (T::kPingPong) {
      if (turn++ % 2 != group) return at.skip(ceil_div(g.k, kSliceK<Element>));
      wait_for_turn(group);
    }
    int before = 0;
    for (int k = 0; k < g.k; k += kSliceK<Element>) {
      mbarrier_wait(&shared.full[at.stage], at.parity);
      wgmma_fence();
#pragma unroll
      for (int i = 0; i < T::kBlocks; ++i) {
        wgmma_tile<Element, T::kN>(acc[i], shared.a[at.stage] + (first + i * 64) * kSliceBytes, shared.b[at.stage],
                                   k > 0);
      }
      wgmma_commit();
      wgmma_wait<1>();
      if (k > 0) mbarrier_arrive_everywhere<kCluster>(&shared.empty[before]);
      before = at.stage;
      at.advance();
    }
    if constexpr (T::kPingPong) pass_turn_to(1 - group);
    wgmma_wait<0>();
    wgmma_touch(acc);
    mbarrier_arrive_everywhere<kCluster>(&shared.empty[before]);
#pragma unroll
    for (int i = 0; i < T::kBlocks; ++i) {
      store_tile<Element, T::kN>(acc[i], g, row + first + i * 64, column, shared.strips[group]);
    }
  });
  if (T::kPingPong && turn % 2 == group) wait_for_turn(group);  // so that no turn is left over
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

template <typename T>
constexpr TensorGrid kGrid = {T::kM, T::kN, T::kThreads, sizeof(typename T::Shared), true, kCluster, true};
template <typename T>
constexpr auto kKernel = []<typename Element>(Element) { return gemm_tuned_kernel<Element, T>; };

Status prepare(const Shape& shape, Plan* plan) {
  return with_best_tile(shape, [&]<typename T>(T*) { return prepare_tensor_gemm(kKernel<T>, kGrid<T>, shape, plan); });
}

Status launch(const Launch& launch) {
  return with_best_tile(launch.shape, [&]<typename T>(T*) { return launch_tensor_gemm(kKernel<T>, kGrid<T>, launch); });
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, tuned, .dtypes = "bf16 fp16 tf32 fp8 int8", .prepare = prepare, .launch = launch);
