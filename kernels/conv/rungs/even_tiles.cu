// ridge: arch=90a
//
// Idea      Small layers: tiles that come out even. Filters become the rows of wgmma's product and pixels its columns,
//           whose number may be any multiple of 8: 12,544 pixels by 256 filters are 132 tiles of 192 x 128, one for
//           each SM, where 256 x 128 made 98. Two blocks of a cluster, one for each half of the filters, fetch half
//           of the pixels each and send them to both.
// Changed   The product is turned, and turned back on the way out (stmatrix, transposing). A layer of 1 x 1 filters
//           goes without im2col, x being the matrix. The next launch sets itself up while this one ends.
// Limits    Where larger tiles come out as even, or filters could stay, as the rung before; it says so.
// Look at   1 x 1, 1024 to 256 channels at 14 x 14; the note: which tile.
// Source    CUTLASS 3, multicast and tile heuristics; CUDA Programming Guide, "Programmatic Dependent Launch".
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <new>

#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/conv/rungs/transposed_acc.h"
#include "kernels/conv/wgmma_plan.h"
#include "kernels/runtime/cuda/cluster.h"
#include "kernels/runtime/cuda/launch.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tma_store.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace ridge::device {

// ---- the device side: two blocks of a cluster, each with 128 filters, share a tile's pixels ---------

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

/// TMA's im2col mode (conv/tensor_map_im2col.h), into every CTA of the cluster whose bit is set in `ctas`. By one
/// thread: channels c .. c + 63 that tap (r, s) sees, for the run of output pixels that begins at the one whose upper
/// left tap is (h, w) of image n. Completes on `full`.
__device__ inline void tma_load_im2col_multicast(void* to, const CUtensorMap* map, int c, int w, int h, int n, int s,
                                                 int r, uint64_t* full, uint16_t ctas) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8}, %9;" ::"r"(shared_address(to)),
      "l"(reinterpret_cast<uint64_t>(map)), "r"(c), "r"(w), "r"(h), "r"(n), "r"(shared_address(full)),
      "h"(static_cast<uint16_t>(s)), "h"(static_cast<uint16_t>(r)), "h"(ctas)
      : "memory");
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

struct EvenTile {
  static constexpr int kPixels = 192, kHalf = kPixels / kEvenCluster;
  static constexpr int kBytesX = kPixels * kEvenRow, kBytesF = kEvenFilters * kEvenRow;
  static constexpr int kBytesY = kPixels * kTransposedRow;  // of 64 filters
  static constexpr int kStages = (226 * 1024 - kEvenGroups * kBytesY) / (kBytesX + kBytesF);
  struct Shared {
    alignas(1024) unsigned char x[kStages][kBytesX];
    alignas(1024) unsigned char f[kStages][kBytesF];
    alignas(1024) unsigned char y[kEvenGroups][kBytesY];
    uint64_t full[kStages], empty[kStages];
  };
};

/// Calls run(first pixel, first filter) for this block's part of its cluster's tiles.
template <typename Run>
__device__ void for_each_even_tile(const EvenMaps& g, Run run) {
  const int rank = cluster_rank();
  const auto clusters = static_cast<int>(gridDim.x) / kEvenCluster;
  for (int tile = static_cast<int>(blockIdx.x) / kEvenCluster; tile < g.tiles; tile += clusters)
    run(tile / g.pairs * EvenTile::kPixels, (tile % g.pairs * kEvenCluster + rank) * kEvenFilters);
}

__device__ void produce_even(EvenTile::Shared& shared, const EvenMaps& g) {
  constexpr uint16_t kBoth = 3;
  const int half = cluster_rank() * EvenTile::kHalf;
  tma_prefetch_map(&g.x);
  tma_prefetch_map(&g.f);
  cudaGridDependencySynchronize();  // the grid before may still write x, or read y
  RingPosition<EvenTile::kStages> at;
  for_each_even_tile(g, [&](int first, int m) {
    const int pixel = min(first + half, g.pixels - 1);
    const int w = pixel % g.q * g.stride - g.pad, h = pixel / g.q % g.p * g.stride - g.pad;
    const int n = pixel / g.q / g.p;
    for (int tap = 0; tap < g.taps; ++tap) {
      for (int c = 0; c < g.slices_c; ++c) {
        uint64_t* full = &shared.full[at.stage];
        mbarrier_wait_cluster(&shared.empty[at.stage], at.parity ^ 1);
        mbarrier_arrive_expect(full, EvenTile::kBytesX + EvenTile::kBytesF);
        unsigned char* x = shared.x[at.stage] + half * kEvenRow;
        if (g.plain) {
          tma_load_2d_multicast(x, &g.x, c * kEvenSlice, pixel, full, kBoth);
        } else {
          tma_load_im2col_multicast(x, &g.x, c * kEvenSlice, w, h, n, tap % g.s, tap / g.s, full, kBoth);
        }
        tma_load_2d(shared.f[at.stage], &g.f, (tap * g.slices_c + c) * kEvenSlice, m, full);
        at.advance();
      }
    }
  });
}

template <typename Element>
__device__ void consume_even(EvenTile::Shared& shared, const EvenMaps& g) {
  using Out = typename Element::Out;
  const int group = static_cast<int>(threadIdx.x) / 128, slices = g.taps * g.slices_c;
  const bool leader = threadIdx.x % 128 == 0;
  RingPosition<EvenTile::kStages> at;
  for_each_even_tile(g, [&](int pixel, int block_m) {
    float acc[EvenTile::kPixels / 2];
    int before = 0;
    for (int slice = 0; slice < slices; ++slice) {
      mbarrier_wait(&shared.full[at.stage], at.parity);
      const uint64_t f = swizzled_descriptor(shared.f[at.stage] + group * 64 * kEvenRow);
      const uint64_t x = swizzled_descriptor(shared.x[at.stage]);
      wgmma_fence();
#pragma unroll
      for (int step = 0; step < 4; ++step)
        Wgmma<Element, EvenTile::kPixels, false>::multiply(acc, f + 2 * step, x + 2 * step, slice > 0 || step > 0);
      wgmma_commit();
      wgmma_wait<1>();
      if (slice > 0) mbarrier_arrive_everywhere<kEvenCluster>(&shared.empty[before]);
      before = at.stage;
      at.advance();
    }
    wgmma_wait<0>();
    wgmma_touch(acc);
    mbarrier_arrive_everywhere<kEvenCluster>(&shared.empty[before]);
    const int m = block_m + group * 64;
    if (g.relu) finish_transposed<Out, EvenTile::kPixels>(acc, g.bias, g.m, m);
    if (leader) bulk_wait_read<0>();  // the box is free again
    warpgroup_sync(1 + group);
    fill_transposed<Out, EvenTile::kPixels>(acc, shared.y[group]);
    fence_shared_for_async();
    warpgroup_sync(1 + group);
    if (!leader || m >= g.m) return;
    tma_store_2d(&g.y, m, pixel, shared.y[group]);
    bulk_commit();
  });
  if (leader) bulk_wait_read<0>();
}

template <typename Element>
__global__ void __cluster_dims__(kEvenCluster) __launch_bounds__(kEvenThreads, 1)
    conv_even_tiles_kernel(const __grid_constant__ EvenMaps g) {
  extern __shared__ __align__(1024) unsigned char raw[];
  auto& shared = *reinterpret_cast<EvenTile::Shared*>(raw);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < EvenTile::kStages; ++stage) {
      mbarrier_init(&shared.full[stage], 1);
      mbarrier_init(&shared.empty[stage], kEvenCluster * kEvenGroups * 4);  // warps
    }
    fence_mbarrier_init();
  }
  cluster_sync();
  cudaTriggerProgrammaticLaunchCompletion();  // the next grid may come as soon as there is room
  if (threadIdx.x < 128 * kEvenGroups) {
    consume_even<Element>(shared, g);
  } else if (threadIdx.x == 128 * kEvenGroups) {
    produce_even(shared, g);
  }
  cluster_sync();
}

}  // namespace ridge::device

namespace ridge {
namespace {

using namespace device;

/// The maps hold for the buffers that they were made for: a call of some microseconds does not encode them anew.
struct State {
  void* f = nullptr;  ///< packed, on the device
  int sms = 0;
  EvenMaps maps = {};
  void* buffers[kConvY + 1] = {};
  bool as_before = false;
  Plan before;
};

int64_t clusters_of(const Conv& v) {
  return ceil_div(v.n * v.p * v.q, EvenTile::kPixels) * ceil_div(v.m, kEvenCluster * kEvenFilters);
}

/// Whether these tiles take less time: waves times products, at the rates that an H200 showed with 3 x 3 filters
/// (0.79 here, 0.88 in the rung before).
bool is_better(const Conv& v) {
  if (v.layout != kConvNhwc || v.c % 8 != 0 || v.m % 8 != 0 || v.groups != 1 || v.stride > 8 || v.pad > 127 ||
      v.r > 127 || v.s > 127)
    return false;
  const double products = EvenTile::kPixels * kEvenFilters * kEvenSlice / 2048.0;
  const auto waves = double(ceil_div(clusters_of(v), sm_count() / kEvenCluster));
  return waves * products / 0.79 < 0.97 * cheapest_tile(v).products / 0.88;
}

Status prepare(const Shape& shape, Plan* plan) {
  const Conv v = conv_shape(&shape);
  auto* state = new (std::nothrow) State;
  if (!state) return {"out of memory", "new State", __FILE__, __LINE__, false};
  plan->state = state;
  plan->release = [](void* made) {
    auto* state = static_cast<State*>(made);
    if (state->before.release && state->before.state) state->before.release(state->before.state);
    cudaFree(state->f);
    delete state;
  };
  state->as_before = !is_better(v);
  if (state->as_before) {
    const Status s = prepare_conv_wgmma(shape, &state->before);
    plan->workspace_bytes = state->before.workspace_bytes;
    std::snprintf(plan->note, sizeof plan->note, "%s", state->before.note);
    return s;
  }
  std::snprintf(plan->note, sizeof plan->note, "tile of %d pixels x %d filters, pixels shared by 2", EvenTile::kPixels,
                kEvenFilters);
  state->sms = sm_count();
  const Status packed = pack_filter_slices(shape, &state->f, &plan->workspace_bytes);
  if (!packed.ok()) return packed;
  return with_element<Bf16, Fp16>(shape.dtype, [&]<typename E>(E) -> Status {
    RIDGE_CUDA_CHECK(cudaFuncSetAttribute(conv_even_tiles_kernel<E>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          sizeof(EvenTile::Shared)));
    return {};
  });
}

template <typename Element>
Status describe(const Launch& launch, const Conv& v, const State& state, EvenMaps* g) {
  *g = {};
  g->bias = launch.buffers[kConvBias];
  g->pixels = static_cast<int>(v.n * v.p * v.q), g->m = static_cast<int>(v.m);
  g->p = static_cast<int>(v.p), g->q = static_cast<int>(v.q);
  g->stride = static_cast<int>(v.stride), g->pad = static_cast<int>(v.pad);
  g->s = static_cast<int>(v.s), g->taps = static_cast<int>(v.r * v.s);
  g->slices_c = static_cast<int>(ceil_div(v.c, kEvenSlice));
  g->relu = v.relu;
  g->plain = g->taps == 1 && g->stride == 1 && g->pad == 0;
  g->pairs = static_cast<int>(ceil_div(v.m, kEvenCluster * kEvenFilters));
  g->tiles = static_cast<int>(clusters_of(v));
  const ConvBoxes boxes = {Element::kMap, EvenTile::kHalf, kEvenFilters, EvenTile::kPixels, g->plain != 0};
  return encode_conv_maps(launch, v, state.f, boxes, &g->x, &g->f, &g->y);
}

Status launch(const Launch& launch) {
  auto& state = *static_cast<State*>(launch.plan_state);
  if (state.as_before) {
    Launch before = launch;
    before.plan_state = state.before.state;
    return launch_conv_wgmma(before);
  }
  return with_element<Bf16, Fp16>(launch.shape.dtype, [&]<typename E>(E) -> Status {
    if (!std::equal(state.buffers, std::end(state.buffers), launch.buffers)) {
      const Status s = describe<E>(launch, conv_of(&launch), state, &state.maps);
      if (!s.ok()) return s;
      std::copy(launch.buffers, launch.buffers + kConvY + 1, state.buffers);
    }
    const int room = state.sms / kEvenCluster, tiles = state.maps.tiles;
    return launch_overlapped(conv_even_tiles_kernel<E>, (tiles < room ? tiles : room) * kEvenCluster, kEvenThreads,
                             sizeof(EvenTile::Shared), launch, state.maps);
  });
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(conv, cuda, even_tiles, .dtypes = "bf16 fp16", .prepare = ridge::prepare, .launch = ridge::launch);
