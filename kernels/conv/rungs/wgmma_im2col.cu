// ridge: arch=90a
//
// Idea      Implicit GEMM in Hopper's own units. The copy engine has a mode for it: one request brings 64 channels
//           of what one filter tap sees at 128 output pixels, zeros outside of the image included. Filters are a
//           matrix [filter][tap, channel]. Two warpgroups multiply, a producer asks.
// Changed   No thread computes an address of x. bf16 and fp16, nhwc; blocks live on from tile to tile, so that the
//           next tile's operands arrive while this one's bias, relu and stores are done.
// Limits    What the L2 cache delivers: with 3 x 3 filters x comes nine times, tap by tap. Small images: tiles
//           that do not come out even on the SMs; which tile is taken is chosen by counting.
// Look at   The note: the tile. And a layer with few channels: a slice of 64 is then mostly zeros.
// Source    PTX ISA, "cp.async.bulk.tensor" in im2col mode; CUTLASS 3, sm90 implicit GEMM.
#include <cstdio>
#include <new>
#include <type_traits>

#include "kernels/conv/rungs/wgmma_im2col.h"
#include "kernels/runtime/cuda/launch.h"
#include "kernels/runtime/cuda/tma.h"
#include "kernels/runtime/cuda/upload.h"

namespace ridge {
namespace {

using namespace device;

struct TileChoice {
  int blocks, filters;
  bool resident;
  double products = 0;  ///< clocks of a slice of K, all rounds
};
constexpr TileChoice kTiles[] = {{1, 64, false},  {2, 64, false}, {1, 128, false}, {2, 128, false},
                                 {1, 256, false}, {2, 64, true},  {1, 256, true}};

struct State {
  void* f = nullptr;  ///< packed, on the device
  TileChoice tile = {};
};

/// What the copy engine takes; the rest runs as the rung before.
bool takes(const Conv& v) {
  return v.c % 8 == 0 && v.groups == 1 && v.stride <= 8 && v.pad <= 127 && v.r <= 127 && v.s <= 127;
}

int64_t ceil_of(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

/// Rounds of all SMs times what a tile costs: its products, or what it brings, whichever takes longer. A clock of
/// an SM does 2,048 multiply-adds (1,500 with 64 filters, whose operand from shared memory binds), and gets
/// about 40 bytes from the L2.
TileChoice choose_tile(const Conv& v) {
  TileChoice best = kTiles[0];
  double least = 1e300;
  for (const TileChoice& tile : kTiles) {
    const int64_t slices = v.r * v.s * ceil_of(v.c, kSlice);
    const bool fits = v.m <= tile.filters && slices * tile.filters * kSliceRow <= 72 * 1024;
    if (tile.resident && !fits) continue;
    const double pixels = 128.0 * tile.blocks, filters = tile.filters;
    const auto tiles = ceil_of(v.n * v.p * v.q, 128 * tile.blocks) * ceil_of(v.m, tile.filters);
    const double products = pixels * filters * kSlice / (tile.filters == 64 ? 1500 : 2048);
    const double bytes = (pixels + (tile.resident ? 0 : filters)) * kSliceRow / 40;
    const auto rounds = double(ceil_of(tiles, sm_count()));
    const double cost = rounds * (products > bytes ? products : bytes);
    if (cost < 0.999 * least) least = cost, best = tile, best.products = rounds * products;
  }
  return best;
}

/// Calls run.template operator()<blocks, filters, resident>().
template <typename Run>
Status with_tile(const TileChoice& tile, Run run) {
  if (tile.resident) {
    return tile.filters == 64 ? run.template operator()<2, 64, true>()
                              : run.template operator()<1, 256, true>();
  }
  if (tile.filters == 256) return run.template operator()<1, 256, false>();
  if (tile.filters == 128 && tile.blocks == 2) return run.template operator()<2, 128, false>();
  if (tile.filters == 128) return run.template operator()<1, 128, false>();
  return tile.blocks == 2 ? run.template operator()<2, 64, false>()
                          : run.template operator()<1, 64, false>();
}

}  // namespace

double conv_wgmma_products(const Conv& v) {
  return choose_tile(v).products;
}

Status pack_filter_slices(const Conv& v, const uint16_t* f, void** packed, size_t* bytes) {
  const int64_t taps = v.r * v.s, stored = ceil_of(v.c, kSlice) * kSlice;
  *bytes = static_cast<size_t>(v.m * taps * stored) * 2;
  auto* host = new (std::nothrow) uint16_t[*bytes / 2]();
  if (!host) return {"out of memory", "pack_filter_slices", __FILE__, __LINE__, false};
  for (int64_t m = 0; m < v.m; ++m)
    for (int64_t c = 0; c < v.c; ++c)
      for (int64_t tap = 0; tap < taps; ++tap)
        host[(m * taps + tap) * stored + c] = f[(m * v.c + c) * taps + tap];
  const Status uploaded = device::upload(host, *bytes, packed);
  delete[] host;
  return uploaded;
}

Status prepare_conv_wgmma(const Shape& shape, Plan* plan) {
  const Conv v = conv_shape(&shape);
  if (v.layout != kConvNhwc)
    return {"takes images in nhwc (layout=nhwc)", "prepare", __FILE__, __LINE__, false};
  if (!takes(v)) {
    std::snprintf(plan->note, sizeof plan->note,
                  "mma.sync: the copy engine takes multiples of 8 channels, no groups");
    return prepare_conv_mma_sync(shape, plan);
  }
  auto* state = new (std::nothrow) State;
  if (!state) return {"out of memory", "new State", __FILE__, __LINE__, false};
  plan->state = state;
  plan->release = [](void* made) {
    auto* state = static_cast<State*>(made);
    cudaFree(state->f);
    delete state;
  };
  state->tile = choose_tile(v);
  std::snprintf(plan->note, sizeof plan->note, "tile of %d pixels x %d filters%s",
                128 * state->tile.blocks, state->tile.filters,
                state->tile.resident ? ", which stay" : "");
  const auto* constants = static_cast<const ConvConstants*>(shape.constants);
  const Status packed = pack_filter_slices(v, static_cast<const uint16_t*>(constants->f), &state->f,
                                           &plan->workspace_bytes);
  if (!packed.ok()) return packed;
  return with_element<Bf16, Fp16>(shape.dtype, [&](auto element) {
    return with_tile(state->tile, [&]<int kBlocks, int kFilters, bool kResident>() -> Status {
      RIDGE_CUDA_CHECK(cudaFuncSetAttribute(
          conv_wgmma_im2col_kernel<decltype(element), kBlocks, kFilters, kResident>,
          cudaFuncAttributeMaxDynamicSharedMemorySize,
          sizeof(typename ConvShape<kBlocks, kFilters, kResident>::Shared)));
      return {};
    });
  });
}

namespace {

template <typename Element, int kBlocks, int kFilters, bool kResident>
Status launch_as(const Launch& launch, const Conv& v, const State& state) {
  using S = ConvShape<kBlocks, kFilters, kResident>;
  ConvMaps g = {};
  TensorMapIm2col x;
  x.type = Element::kMap;
  x.data = launch.buffers[kConvX];
  x.n = v.n, x.h = v.h, x.w = v.w, x.c = v.c;
  x.r = static_cast<int>(v.r), x.s = static_cast<int>(v.s);
  x.stride = static_cast<int>(v.stride), x.pad = static_cast<int>(v.pad);
  x.pixels = S::kPixels;
  if (const Status s = encode_tensor_map_im2col(x, &g.x); !s.ok()) return s;
  const int64_t columns = v.r * v.s * ceil_of(v.c, kSlice) * kSlice;
  const TensorMap2d f = {Element::kMap, state.f,  v.m,    columns,
                         columns * 2,   kFilters, kSlice, CU_TENSOR_MAP_SWIZZLE_128B};
  if (const Status s = encode_tensor_map(f, &g.f); !s.ok()) return s;
  g.y_data = launch.buffers[kConvY];
  g.bias = launch.buffers[kConvBias];
  g.pixels = static_cast<int>(v.n * v.p * v.q), g.m = static_cast<int>(v.m);
  g.p = static_cast<int>(v.p), g.q = static_cast<int>(v.q);
  g.stride = x.stride, g.pad = x.pad, g.s = x.s, g.taps = x.r * x.s;
  g.slices_c = static_cast<int>(ceil_of(v.c, kSlice));
  g.tiles_m = ceil_div(g.m, kFilters);
  g.tiles = ceil_div(g.pixels, S::kPixels) * g.tiles_m;
  g.relu = v.relu;
  g.by_engine = g.m % 8 == 0;
  const TensorMap2d y = {Element::kMap, g.y_data, g.pixels, v.m,
                         v.m * 2,       64,       kSlice,   CU_TENSOR_MAP_SWIZZLE_128B};
  if (g.by_engine) {
    if (const Status s = encode_tensor_map(y, &g.y); !s.ok()) return s;
  }
  const int blocks = g.tiles < sm_count() ? g.tiles : sm_count();
  conv_wgmma_im2col_kernel<Element, kBlocks, kFilters, kResident>
      <<<static_cast<unsigned>(blocks), kThreads, sizeof(typename S::Shared),
         static_cast<cudaStream_t>(v.stream)>>>(g);
  return RIDGE_CUDA_LAUNCHED(conv_wgmma_im2col_kernel);
}

}  // namespace

Status launch_conv_wgmma(const Launch& launch) {
  const Conv v = conv_of(&launch);
  if (!takes(v)) return launch_conv_mma_sync(launch);
  const auto& state = *static_cast<const State*>(launch.plan_state);
  return with_element<Bf16, Fp16>(launch.shape.dtype, [&](auto element) {
    return with_tile(state.tile, [&]<int kBlocks, int kFilters, bool kResident>() {
      return launch_as<decltype(element), kBlocks, kFilters, kResident>(launch, v, state);
    });
  });
}

}  // namespace ridge

RIDGE_KERNEL(conv, cuda, wgmma_im2col, .dtypes = "bf16 fp16", .prepare = ridge::prepare_conv_wgmma,
             .launch = ridge::launch_conv_wgmma);
