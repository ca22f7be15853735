// ridge: arch=90a
//
// Idea      Implicit GEMM in Hopper's own units. The copy engine has a mode for it: one request brings 64 channels
//           of what one filter tap sees at 128 output pixels, zeros outside of the image included. Filters are a
//           matrix [filter][tap, channel]. Two warpgroups multiply, a producer asks.
// Changed   No thread computes an address of x. bf16 and fp16, nhwc; blocks live on from tile to tile, so that the
//           next tile's operands arrive while this one's bias, relu and stores are done.
// Limits    The Tensor Cores wait, for what was not measured. With 3 x 3 filters x comes nine times from the L2, tap by
//           tap. Small images: tiles that do not come out even on the SMs; which tile is taken is chosen by counting.
// Look at   The note: the tile. And a layer with few channels: a slice of 64 is then mostly zeros.
// Source    PTX ISA, "cp.async.bulk.tensor" in im2col mode; CUTLASS 3, sm90 implicit GEMM.
#include <cstdio>
#include <new>
#include <type_traits>

#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/conv/rungs/wgmma_im2col.h"
#include "kernels/conv/wgmma_plan.h"

namespace ridge {
namespace {

using namespace device;

struct State {
  void* f = nullptr;  ///< packed, on the device
  ConvTile tile = {};
};

/// What the copy engine takes; the rest runs as the rung before.
bool takes(const Conv& v) {
  return v.c % 8 == 0 && v.groups == 1 && v.stride <= 8 && v.pad <= 127 && v.r <= 127 && v.s <= 127;
}

/// Calls run.template operator()<blocks, filters, resident>().
template <typename Run>
Status with_tile(const ConvTile& tile, Run run) {
  if (tile.resident) {
    return tile.filters == 64 ? run.template operator()<2, 64, true>() : run.template operator()<1, 256, true>();
  }
  if (tile.filters == 256) return run.template operator()<1, 256, false>();
  if (tile.filters == 128 && tile.blocks == 2) return run.template operator()<2, 128, false>();
  if (tile.filters == 128) return run.template operator()<1, 128, false>();
  return tile.blocks == 2 ? run.template operator()<2, 64, false>() : run.template operator()<1, 64, false>();
}

}  // namespace

Status prepare_conv_wgmma(const Shape& shape, Plan* plan) {
  const Conv v = conv_shape(&shape);
  if (v.layout != kConvNhwc) return refuse("takes images in nhwc (layout=nhwc)");
  if (!takes(v)) {
    std::snprintf(plan->note, sizeof plan->note, "mma.sync: the copy engine takes multiples of 8 channels, no groups");
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
  state->tile = cheapest_tile(v);
  std::snprintf(plan->note, sizeof plan->note, "tile of %d pixels x %d filters%s", 128 * state->tile.blocks,
                state->tile.filters, state->tile.resident ? ", which stay" : "");
  const Status packed = pack_filter_slices(shape, &state->f, &plan->workspace_bytes);
  if (!packed.ok()) return packed;
  return with_element<Bf16, Fp16>(shape.dtype, [&](auto element) {
    return with_tile(state->tile, [&]<int kBlocks, int kFilters, bool kResident>() -> Status {
      RIDGE_CUDA_CHECK(cudaFuncSetAttribute(conv_wgmma_im2col_kernel<decltype(element), kBlocks, kFilters, kResident>,
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
  const ConvBoxes boxes = {Element::kMap, S::kPixels, kFilters, 64};
  if (const Status s = encode_conv_maps(launch, v, state.f, boxes, &g.x, &g.f, &g.y); !s.ok()) return s;
  g.y_data = launch.buffers[kConvY];
  g.bias = launch.buffers[kConvBias];
  g.pixels = static_cast<int>(v.n * v.p * v.q), g.m = static_cast<int>(v.m);
  g.p = static_cast<int>(v.p), g.q = static_cast<int>(v.q);
  g.stride = static_cast<int>(v.stride), g.pad = static_cast<int>(v.pad);
  g.s = static_cast<int>(v.s), g.taps = static_cast<int>(v.r * v.s);
  g.slices_c = static_cast<int>(ceil_div(v.c, kSlice));
  g.tiles_m = ceil_div(g.m, kFilters);
  g.tiles = ceil_div(g.pixels, S::kPixels) * g.tiles_m;
  g.relu = v.relu;
  g.by_engine = g.m % 8 == 0;
  const int blocks = g.tiles < sm_count() ? g.tiles : sm_count();
  conv_wgmma_im2col_kernel<Element, kBlocks, kFilters, kResident>
      <<<static_cast<unsigned>(blocks), kThreads, sizeof(typename S::Shared), static_cast<cudaStream_t>(v.stream)>>>(g);
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
