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

#include "kernels/conv/rungs/even_tiles.h"
#include "kernels/runtime/cuda/launch.h"
#include "kernels/runtime/cuda/tma.h"

namespace ridge {
namespace {

using namespace device;

using Tile = EvenTile<192>;

/// The maps hold for the buffers that they were made for: a call of some microseconds does not encode them anew.
struct State {
  void* f = nullptr;  ///< packed, on the device
  int sms = 0;
  EvenMaps maps = {};
  void* buffers[kConvY + 1] = {};
  bool as_before = false;
  Plan before;
};

int64_t rounded_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

int64_t clusters_of(const Conv& v) {
  return rounded_up(v.n * v.p * v.q, Tile::kPixels) * rounded_up(v.m, kEvenCluster * kEvenFilters);
}

/// Whether these tiles take less time: rounds times products, at the rates that an H200 showed with 3 x 3 filters
/// (0.79 here, 0.88 in the rung before).
bool is_better(const Conv& v) {
  if (v.layout != kConvNhwc || v.c % 8 != 0 || v.m % 8 != 0 || v.groups != 1 || v.stride > 8 ||
      v.pad > 127 || v.r > 127 || v.s > 127)
    return false;
  const double products = Tile::kPixels * kEvenFilters * kEvenSlice / 2048.0;
  const auto rounds = double(rounded_up(clusters_of(v), sm_count() / kEvenCluster));
  return rounds * products / 0.79 < 0.97 * conv_wgmma_products(v) / 0.88;
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
  std::snprintf(plan->note, sizeof plan->note, "tile of %d pixels x %d filters, pixels shared by 2",
                Tile::kPixels, kEvenFilters);
  state->sms = sm_count();
  const auto* constants = static_cast<const ConvConstants*>(shape.constants);
  const Status packed = pack_filter_slices(v, static_cast<const uint16_t*>(constants->f), &state->f,
                                           &plan->workspace_bytes);
  if (!packed.ok()) return packed;
  return with_element<Bf16, Fp16>(shape.dtype, [&]<typename E>(E) -> Status {
    RIDGE_CUDA_CHECK(cudaFuncSetAttribute(conv_even_tiles_kernel<E, Tile>,
                                          cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          sizeof(typename Tile::Shared)));
    return {};
  });
}

template <typename Element>
Status encode_maps(const Launch& launch, const Conv& v, const State& state, EvenMaps* g) {
  const void* x = launch.buffers[kConvX];
  if (g->plain) {
    const TensorMap2d matrix = {Element::kMap, x,           g->pixels,  v.c,
                                v.c * 2,       Tile::kHalf, kEvenSlice, CU_TENSOR_MAP_SWIZZLE_128B};
    if (const Status s = encode_tensor_map(matrix, &g->x); !s.ok()) return s;
  } else {
    TensorMapIm2col images;
    images.type = Element::kMap;
    images.data = x;
    images.n = v.n, images.h = v.h, images.w = v.w, images.c = v.c;
    images.r = static_cast<int>(v.r), images.s = static_cast<int>(v.s);
    images.stride = static_cast<int>(v.stride), images.pad = static_cast<int>(v.pad);
    images.pixels = Tile::kHalf;
    if (const Status s = encode_tensor_map_im2col(images, &g->x); !s.ok()) return s;
  }
  const int64_t columns = int64_t{g->taps} * g->slices_c * kEvenSlice;
  const TensorMap2d f = {Element::kMap, state.f,      v.m,        columns,
                         columns * 2,   kEvenFilters, kEvenSlice, CU_TENSOR_MAP_SWIZZLE_128B};
  if (const Status s = encode_tensor_map(f, &g->f); !s.ok()) return s;
  const TensorMap2d y = {
      Element::kMap, launch.buffers[kConvY], g->pixels, v.m,
      v.m * 2,       Tile::kPixels,          64,        CU_TENSOR_MAP_SWIZZLE_128B};
  return encode_tensor_map(y, &g->y);
}

template <typename Element>
Status describe(const Launch& launch, const Conv& v, const State& state, EvenMaps* g) {
  *g = {};
  g->bias = launch.buffers[kConvBias];
  g->pixels = static_cast<int>(v.n * v.p * v.q), g->m = static_cast<int>(v.m);
  g->p = static_cast<int>(v.p), g->q = static_cast<int>(v.q);
  g->stride = static_cast<int>(v.stride), g->pad = static_cast<int>(v.pad);
  g->s = static_cast<int>(v.s), g->taps = static_cast<int>(v.r * v.s);
  g->slices_c = static_cast<int>(rounded_up(v.c, kEvenSlice));
  g->relu = v.relu;
  g->plain = g->taps == 1 && g->stride == 1 && g->pad == 0;
  g->pairs = static_cast<int>(rounded_up(v.m, kEvenCluster * kEvenFilters));
  g->tiles = static_cast<int>(clusters_of(v));
  return encode_maps<Element>(launch, v, state, g);
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
    return launch_overlapped(conv_even_tiles_kernel<E, Tile>,
                             (tiles < room ? tiles : room) * kEvenCluster, kEvenThreads,
                             sizeof(typename Tile::Shared), launch, state.maps);
  });
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(conv, cuda, even_tiles, .dtypes = "bf16 fp16", .prepare = ridge::prepare,
             .launch = ridge::launch);
