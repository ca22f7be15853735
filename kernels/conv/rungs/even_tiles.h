// The device side of even_tiles.cu: two blocks of a cluster, each with 128 filters, share a tile's pixels.
#pragma once

#include "kernels/conv/rungs/turned_sums.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tensor_map_im2col.h"
#include "kernels/runtime/cuda/tma.h"
#include "kernels/runtime/cuda/wgmma_registers.h"
#include "kernels/runtime/cuda/wgmma_widths.h"

namespace ridge::device {

/// As mbarrier_wait(), where arrivals come from other CTAs of the cluster: acquires at cluster scope.
__device__ inline void mbarrier_wait_cluster(uint64_t* barrier, uint32_t parity) {
  uint32_t over = 0;
  while (!over) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;"
        " selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  }
}

constexpr int kEvenSlice = 64, kEvenRow = 128;  // channels; bytes
constexpr int kEvenFilters = 128, kEvenGroups = 2, kEvenCluster = 2;
constexpr int kEvenThreads = 128 * (kEvenGroups + 1);

/// The kernel's only argument: the maps are read by the copy engine.
struct EvenMaps {
  CUtensorMap x;  ///< im2col boxes of half a tile's pixels; `plain`: of a matrix [pixel][channel]
  CUtensorMap f;  ///< rows are filters, columns (tap, channel), channels filled up to slices
  CUtensorMap y;  ///< boxes of a tile's pixels by 64 filters
  const void* bias;
  int pixels, m, p, q, stride, pad, taps, s, slices_c, relu, plain;
  int pairs, tiles;  ///< of 256 filters; of those by pixels: one for a cluster
};

template <int pixels>
struct EvenTile {
  static constexpr int kPixels = pixels, kHalf = pixels / kEvenCluster;
  static constexpr int kBytesX = kPixels * kEvenRow, kBytesF = kEvenFilters * kEvenRow;
  static constexpr int kBytesY = kPixels * kTurnedRow;  // of 64 filters
  static constexpr int kStages = (226 * 1024 - kEvenGroups * kBytesY) / (kBytesX + kBytesF);
  struct Shared {
    alignas(1024) unsigned char x[kStages][kBytesX];
    alignas(1024) unsigned char f[kStages][kBytesF];
    alignas(1024) unsigned char y[kEvenGroups][kBytesY];
    uint64_t full[kStages], empty[kStages];
  };
};

/// Calls run(first pixel, first filter) for this block's part of its cluster's tiles.
template <typename T, typename Run>
__device__ void for_each_even_tile(const EvenMaps& g, Run run) {
  const int rank = static_cast<int>(cluster_rank());
  const auto clusters = static_cast<int>(gridDim.x) / kEvenCluster;
  for (int tile = static_cast<int>(blockIdx.x) / kEvenCluster; tile < g.tiles; tile += clusters)
    run(tile / g.pairs * T::kPixels, (tile % g.pairs * kEvenCluster + rank) * kEvenFilters);
}

template <typename T>
__device__ void produce_even(typename T::Shared& shared, const EvenMaps& g) {
  constexpr uint16_t kBoth = 3;
  const int half = static_cast<int>(cluster_rank()) * T::kHalf;
  tma_prefetch_map(&g.x);
  tma_prefetch_map(&g.f);
  cudaGridDependencySynchronize();  // the grid before may still write x, or read y
  RingPosition<T::kStages> at;
  for_each_even_tile<T>(g, [&](int first, int m) {
    const int pixel = min(first + half, g.pixels - 1);
    const int w = pixel % g.q * g.stride - g.pad, h = pixel / g.q % g.p * g.stride - g.pad;
    const int n = pixel / g.q / g.p;
    for (int tap = 0; tap < g.taps; ++tap) {
      for (int c = 0; c < g.slices_c; ++c) {
        uint64_t* full = &shared.full[at.stage];
        mbarrier_wait_cluster(&shared.empty[at.stage], at.parity ^ 1);
        mbarrier_arrive_expect(full, T::kBytesX + T::kBytesF);
        unsigned char* x = shared.x[at.stage] + half * kEvenRow;
        if (g.plain) {
          tma_load_2d_multicast(x, &g.x, c * kEvenSlice, pixel, full, kBoth);
        } else {
          tma_load_im2col_multicast(x, &g.x, c * kEvenSlice, w, h, n, tap % g.s, tap / g.s, full,
                                    kBoth);
        }
        tma_load_2d(shared.f[at.stage], &g.f, (tap * g.slices_c + c) * kEvenSlice, m, full);
        at.advance();
      }
    }
  });
}

template <typename Element, typename T>
__device__ void consume_even(typename T::Shared& shared, const EvenMaps& g) {
  using Out = typename Element::Out;
  const int group = static_cast<int>(threadIdx.x) / 128, slices = g.taps * g.slices_c;
  const bool leader = threadIdx.x % 128 == 0;
  RingPosition<T::kStages> at;
  for_each_even_tile<T>(g, [&](int pixel, int block_m) {
    float sums[T::kPixels / 2];
    int before = 0;
    for (int slice = 0; slice < slices; ++slice) {
      mbarrier_wait(&shared.full[at.stage], at.parity);
      const uint64_t f = swizzled_descriptor(shared.f[at.stage] + group * 64 * kEvenRow);
      const uint64_t x = swizzled_descriptor(shared.x[at.stage]);
      wgmma_fence();
#pragma unroll
      for (int step = 0; step < 4; ++step)
        Wgmma<Element, T::kPixels, false>::multiply(sums, f + 2 * step, x + 2 * step,
                                                    slice > 0 || step > 0);
      wgmma_commit();
      wgmma_wait<1>();
      if (slice > 0) mbarrier_arrive_everywhere<kEvenCluster>(&shared.empty[before]);
      before = at.stage;
      at.advance();
    }
    wgmma_wait<0>();
    wgmma_touch(sums);
    mbarrier_arrive_everywhere<kEvenCluster>(&shared.empty[before]);
    const int m = block_m + group * 64;
    if (g.relu) finish_turned<Out, T::kPixels>(sums, g.bias, g.m, m);
    if (leader) bulk_wait_read<0>();  // the box is free again
    warpgroup_sync(1 + group);
    fill_turned<Out, T::kPixels>(sums, shared.y[group]);
    fence_shared_for_async();
    warpgroup_sync(1 + group);
    if (!leader || m >= g.m) return;
    tma_store_2d(&g.y, m, pixel, shared.y[group]);
    bulk_commit();
  });
  if (leader) bulk_wait_read<0>();
}

template <typename Element, typename T>
__global__ void __cluster_dims__(kEvenCluster) __launch_bounds__(kEvenThreads, 1)
    conv_even_tiles_kernel(const __grid_constant__ EvenMaps g) {
  extern __shared__ __align__(1024) unsigned char raw[];
  auto& shared = *reinterpret_cast<typename T::Shared*>(raw);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < T::kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], kEvenCluster * kEvenGroups * 4);  // warps
    }
    fence_mbarrier_init();
  }
  cluster_sync();
  cudaTriggerProgrammaticLaunchCompletion();  // the next grid may come as soon as there is room
  if (threadIdx.x < 128 * kEvenGroups) {
    consume_even<Element, T>(shared, g);
  } else if (threadIdx.x == 128 * kEvenGroups) {
    produce_even<T>(shared, g);
  }
  cluster_sync();
}

}  // namespace ridge::device
