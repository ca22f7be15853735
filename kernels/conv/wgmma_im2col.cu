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

#include "kernels/conv/cuda_conv.h"
#include "kernels/device/launch.h"
#include "kernels/device/mbarrier.h"
#include "kernels/device/tensor_map.h"
#include "kernels/device/tensor_map_im2col.h"
#include "kernels/device/tma.h"
#include "kernels/device/warpgroup.h"
#include "kernels/device/wgmma.h"

namespace ridge::device {

constexpr int kSlice = 64, kSliceRow = 128;  // channels; bytes
constexpr int kConsumers = 2, kThreads = 128 * (kConsumers + 1);

/// The kernel's only argument: the maps are read by the copy engine.
struct ConvMaps {
  CUtensorMap x, f;  ///< f: rows are filters, columns (tap, channel), channels filled up to slices
  void* y;
  const void* bias;
  int pixels, m, p, q, stride, pad, taps, s, slices_c, tiles_m, tiles, relu;
};

/// A consumer has kBlocks times 64 pixels; kFilters of a tile.
template <int kBlocks, int kFilters>
struct ConvShape {
  static constexpr int kPixels = kConsumers * kBlocks * 64;
  static constexpr int kBytesX = kPixels * kSliceRow, kBytesF = kFilters * kSliceRow;
  static constexpr int kStages = 200 * 1024 / (kBytesX + kBytesF);
  struct Shared {
    alignas(1024) unsigned char x[kStages][kBytesX];
    alignas(1024) unsigned char f[kStages][kBytesF];
    uint64_t full[kStages], empty[kStages];
  };
};

template <typename S>
__device__ void produce(typename S::Shared& shared, const ConvMaps& g, int filters) {
  RingPosition<S::kStages> at;
  for (int tile = static_cast<int>(blockIdx.x); tile < g.tiles;
       tile += static_cast<int>(gridDim.x)) {
    const int pixel = tile / g.tiles_m * S::kPixels, m = tile % g.tiles_m * filters;
    const int w = pixel % g.q * g.stride - g.pad, h = pixel / g.q % g.p * g.stride - g.pad;
    const int n = pixel / g.q / g.p;
    for (int tap = 0; tap < g.taps; ++tap) {
      for (int c = 0; c < g.slices_c; ++c) {
        uint64_t* full = &shared.full[at.stage];
        mbarrier_wait(&shared.empty[at.stage], at.parity ^ 1);
        mbarrier_arrive_expect(full, S::kBytesX + S::kBytesF);
        tma_load_im2col(shared.x[at.stage], &g.x, c * kSlice, w, h, n, tap % g.s, tap / g.s, full);
        tma_load_2d(shared.f[at.stage], &g.f, (tap * g.slices_c + c) * kSlice, m, full);
        at.advance();
      }
    }
  }
}

/// A warpgroup's 64 x n sums (wgmma.h says who holds what), with bias and relu, to nhwc.
template <typename Element, int n>
__device__ void store(const float (&d)[n / 2], const ConvMaps& g, int pixel0, int m0) {
  using Out = typename Element::Out;
  const int thread = static_cast<int>(threadIdx.x) % 128, lane = thread % 32;
  const auto* bias = static_cast<const Out*>(g.bias);
#pragma unroll
  for (int j = 0; j < n / 8; ++j) {
    const int m = m0 + 8 * j + lane % 4 * 2;
    if (m >= g.m) break;
    const bool second = m + 1 < g.m;
    const float bias0 = g.relu ? static_cast<float>(bias[m]) : 0;
    const float bias1 = g.relu && second ? static_cast<float>(bias[m + 1]) : 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int pixel = pixel0 + thread / 32 * 16 + half * 8 + lane / 4;
      if (pixel >= g.pixels) continue;
      float a = d[4 * j + 2 * half], b = d[4 * j + 2 * half + 1];
      if (g.relu) a = cut_off(a + bias0), b = cut_off(b + bias1);
      Out* to = static_cast<Out*>(g.y) + static_cast<int64_t>(pixel) * g.m + m;
      if (g.m % 2 == 0) {
        *reinterpret_cast<uint32_t*>(to) = pack_pair(Out{}, a, b);
      } else {
        to[0] = static_cast<Out>(a);
        if (second) to[1] = static_cast<Out>(b);
      }
    }
  }
}

template <typename Element, int kBlocks, int kFilters, typename S>
__device__ void consume(typename S::Shared& shared, const ConvMaps& g, int group) {
  RingPosition<S::kStages> at;
  const int slices = g.taps * g.slices_c;
  for (int tile = static_cast<int>(blockIdx.x); tile < g.tiles;
       tile += static_cast<int>(gridDim.x)) {
    float sums[kBlocks][kFilters / 2];
    int before = 0;
    for (int slice = 0; slice < slices; ++slice) {
      mbarrier_wait(&shared.full[at.stage], at.parity);
      const uint64_t f = swizzled_descriptor(shared.f[at.stage]);
      wgmma_fence();
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
        const uint64_t x =
            swizzled_descriptor(shared.x[at.stage] + (group * kBlocks + block) * 64 * kSliceRow);
#pragma unroll
        for (int step = 0; step < 4; ++step) {
          Wgmma<Element, kFilters, false>::multiply(sums[block], x + 2 * step, f + 2 * step,
                                                    slice > 0 || step > 0);
        }
      }
      wgmma_commit();
      wgmma_wait<1>();
      if (slice > 0 && threadIdx.x % 128 == 0) mbarrier_arrive(&shared.empty[before]);
      before = at.stage;
      at.advance();
    }
    wgmma_wait<0>();
    if (threadIdx.x % 128 == 0) mbarrier_arrive(&shared.empty[before]);
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
      store<Element, kFilters>(sums[block], g,
                               tile / g.tiles_m * S::kPixels + (group * kBlocks + block) * 64,
                               tile % g.tiles_m * kFilters);
    }
  }
}

template <typename Element, int kBlocks, int kFilters>
__global__ void __launch_bounds__(kThreads, 1)
    conv_wgmma_im2col_kernel(const __grid_constant__ ConvMaps g) {
  using S = ConvShape<kBlocks, kFilters>;
  extern __shared__ __align__(1024) unsigned char raw[];
  auto& shared = *reinterpret_cast<typename S::Shared*>(raw);
  if (threadIdx.x == 0) {
    for (int s = 0; s < S::kStages; ++s) {
      mbarrier_init(&shared.full[s], 1);
      mbarrier_init(&shared.empty[s], kConsumers);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  const int group = static_cast<int>(threadIdx.x) / 128;
  if (group == kConsumers) {
    give_registers<40>();
    if (threadIdx.x % 128 == 0) produce<S>(shared, g, kFilters);
  } else {
    take_registers<232>();
    consume<Element, kBlocks, kFilters, S>(shared, g, group);
  }
}

}  // namespace ridge::device

namespace ridge {
namespace {

using namespace device;

struct TileChoice {
  int blocks, filters;
};
constexpr TileChoice kTiles[] = {{1, 64}, {2, 64}, {1, 128}, {2, 128}, {1, 256}};

struct State {
  void* f = nullptr;  ///< packed, on the device
  TileChoice tile = {};
  bool direct = false;
};

int64_t ceil_of(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

/// Rounds of all SMs times what a tile costs: its products, or what it brings, whichever takes longer. A clock of
/// an SM does 4,096 multiply-adds (half of that with 64 filters, whose operand from shared memory binds), and gets
/// about 40 bytes from the L2.
TileChoice choose_tile(const Conv& v) {
  TileChoice best = kTiles[0];
  double least = 1e300;
  for (const TileChoice& tile : kTiles) {
    const double pixels = 128.0 * tile.blocks, filters = tile.filters;
    const auto tiles = ceil_of(v.n * v.p * v.q, 128 * tile.blocks) * ceil_of(v.m, tile.filters);
    const double products = pixels * filters * kSlice / (tile.filters == 64 ? 3000 : 4096);
    const double bytes = (pixels + filters) * kSliceRow / 40;
    const double cost = double(ceil_of(tiles, sm_count())) * (products > bytes ? products : bytes);
    if (cost < 0.999 * least) least = cost, best = tile;
  }
  return best;
}

template <typename Run>
Status with_tile(const TileChoice& tile, Run run) {
  using std::integral_constant;
  if (tile.blocks == 1 && tile.filters == 64)
    return run(integral_constant<int, 1>(), integral_constant<int, 64>());
  if (tile.blocks == 2 && tile.filters == 64)
    return run(integral_constant<int, 2>(), integral_constant<int, 64>());
  if (tile.blocks == 1 && tile.filters == 128)
    return run(integral_constant<int, 1>(), integral_constant<int, 128>());
  if (tile.blocks == 2) return run(integral_constant<int, 2>(), integral_constant<int, 128>());
  return run(integral_constant<int, 1>(), integral_constant<int, 256>());
}

template <typename Run>
Status with_half(DType dtype, Run run) {
  return dtype == DType::bf16 ? run(Bf16{}) : run(Fp16{});
}

/// [filter][tap][channel], channels filled up to slices with zeros.
Status pack_filters(const Conv& v, const uint16_t* f, void** packed, size_t* bytes) {
  const int64_t taps = v.r * v.s, stored = ceil_of(v.c, kSlice) * kSlice;
  *bytes = static_cast<size_t>(v.m * taps * stored) * 2;
  auto* host = new (std::nothrow) uint16_t[*bytes / 2]();
  if (!host) return {"out of memory", "pack_filters", __FILE__, __LINE__, false};
  for (int64_t m = 0; m < v.m; ++m)
    for (int64_t c = 0; c < v.c; ++c)
      for (int64_t tap = 0; tap < taps; ++tap)
        host[(m * taps + tap) * stored + c] = f[(m * v.c + c) * taps + tap];
  cudaError_t error = cudaMalloc(packed, *bytes);
  if (error == cudaSuccess) error = cudaMemcpy(*packed, host, *bytes, cudaMemcpyHostToDevice);
  delete[] host;
  return cuda_status(error, "cudaMalloc, cudaMemcpy", __FILE__, __LINE__);
}

Status prepare(const Shape& shape, Plan* plan) {
  const Conv v = conv_shape(&shape);
  if (v.layout != kConvNhwc)
    return {"takes images in nhwc (layout=nhwc)", "prepare", __FILE__, __LINE__, false};
  auto* state = new (std::nothrow) State;
  if (!state) return {"out of memory", "new State", __FILE__, __LINE__, false};
  plan->state = state;
  plan->release = [](void* made) {
    auto* state = static_cast<State*>(made);
    cudaFree(state->f);
    delete state;
  };
  state->direct =
      v.c % 8 != 0 || v.groups != 1 || v.stride > 8 || v.pad > 127 || v.r > 127 || v.s > 127;
  if (state->direct) {
    std::snprintf(plan->note, sizeof plan->note,
                  "one thread an output: the copy engine takes multiples of 8 channels, no groups");
    return {};
  }
  state->tile = choose_tile(v);
  std::snprintf(plan->note, sizeof plan->note, "tile of %d pixels x %d filters",
                128 * state->tile.blocks, state->tile.filters);
  const auto* constants = static_cast<const ConvConstants*>(shape.constants);
  const Status packed = pack_filters(v, static_cast<const uint16_t*>(constants->f), &state->f,
                                     &plan->workspace_bytes);
  if (!packed.ok()) return packed;
  return with_half(shape.dtype, [&](auto element) {
    return with_tile(state->tile, [&](auto blocks, auto filters) -> Status {
      RIDGE_CUDA_CHECK(
          cudaFuncSetAttribute(conv_wgmma_im2col_kernel<decltype(element), blocks(), filters()>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               sizeof(typename ConvShape<blocks(), filters()>::Shared)));
      return {};
    });
  });
}

template <typename Element, int kBlocks, int kFilters>
Status launch_as(const Launch& launch, const Conv& v, const State& state) {
  using S = ConvShape<kBlocks, kFilters>;
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
  g.y = launch.buffers[kConvY];
  g.bias = launch.buffers[kConvBias];
  g.pixels = static_cast<int>(v.n * v.p * v.q), g.m = static_cast<int>(v.m);
  g.p = static_cast<int>(v.p), g.q = static_cast<int>(v.q);
  g.stride = x.stride, g.pad = x.pad, g.s = x.s, g.taps = x.r * x.s;
  g.slices_c = static_cast<int>(ceil_of(v.c, kSlice));
  g.tiles_m = ceil_div(g.m, kFilters);
  g.tiles = ceil_div(g.pixels, S::kPixels) * g.tiles_m;
  g.relu = v.relu;
  const int blocks = g.tiles < sm_count() ? g.tiles : sm_count();
  conv_wgmma_im2col_kernel<Element, kBlocks, kFilters>
      <<<static_cast<unsigned>(blocks), kThreads, sizeof(typename S::Shared),
         static_cast<cudaStream_t>(v.stream)>>>(g);
  return RIDGE_CUDA_LAUNCHED(conv_wgmma_im2col_kernel);
}

Status launch(const Launch& launch) {
  const Conv v = conv_of(&launch);
  const auto& state = *static_cast<const State*>(launch.plan_state);
  if (state.direct) return conv_direct_cuda(launch);
  return with_half(launch.shape.dtype, [&](auto element) {
    return with_tile(state.tile, [&](auto blocks, auto filters) {
      return launch_as<decltype(element), blocks(), filters()>(launch, v, state);
    });
  });
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(conv, cuda, wgmma_im2col, .dtypes = "bf16 fp16", .prepare = ridge::prepare,
             .launch = ridge::launch);
