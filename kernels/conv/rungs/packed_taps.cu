// ridge: arch=90a
//
// Idea      Few channels: the taps of a filter's row are neighbours in memory, so they can share a slice of K. Rows of
//           x come to shared memory with channels filled up, so that stride x channels are 16 bytes. Then im2col's
//           matrix is already there: its row q + 1 begins 16 bytes after row q, which is just how wgmma reads a
//           matrix without a swizzle. The next 8 of K are 16 bytes further on as well: the matrix overlaps itself.
// Changed   K is 7 x 32 instead of 49 slices of 64 channels, 3 of them used. Filters are the rows of the product, an
//           output row its columns; each row of x is read once by a block and serves all filter rows that see it.
// Limits    Writing y: 103 MB of the stem's 123. The last, unused tap of a row is multiplied by zero, so that an
//           infinity in x reaches one pixel too far (as NaN).
// Look at   The stem. What does not fit (stride x channels over 8, strides but 1, 2, 4) runs as the rung before.
// Source    PTX ISA, "wgmma.mma_async", matrix layout without swizzling. The overlap is this lab's.
#include <cstdio>
#include <new>

#include "kernels/conv/rungs/packed_taps.h"
#include "kernels/runtime/cuda/launch.h"
#include "kernels/runtime/cuda/tma.h"
#include "kernels/runtime/cuda/upload.h"

namespace ridge {
namespace {

using namespace device;

constexpr int kMostShared = 220 * 1024;

/// 16-byte chunks of a filter's row, in pairs.
int chunks_of(const Conv& v) {
  return 2 * static_cast<int>((v.s * (8 / v.stride) + 15) / 16);
}

/// Calls run.template operator()<Tile>(): the tile with the fewest columns outside of an output row.
template <typename Run>
auto with_tap_tile(const Conv& v, Run run) {
  const bool wide = (v.q + 111) / 112 * 112 <= (v.q + 63) / 64 * 64;
  if (v.stride == 1)
    return wide ? run.template operator()<TapTile<112, 1>>()
                : run.template operator()<TapTile<64, 1>>();
  if (v.stride == 2)
    return wide ? run.template operator()<TapTile<112, 2>>()
                : run.template operator()<TapTile<64, 2>>();
  return wide ? run.template operator()<TapTile<112, 4>>()
              : run.template operator()<TapTile<64, 4>>();
}

int shared_bytes_of(const Conv& v) {
  return with_tap_tile(
      v, [&]<typename Tile>() { return Tile::shared_bytes(static_cast<int>(v.r), chunks_of(v)); });
}

bool takes(const Conv& v) {
  return v.layout == kConvNhwc && v.groups == 1 &&
         (v.stride == 1 || v.stride == 2 || v.stride == 4) && v.c * v.stride <= 8 && v.s <= 64 &&
         chunks_of(v) <= kMostChunks && v.r <= 64 && shared_bytes_of(v) <= kMostShared;
}

/// [64 filters' block][filter row][chunk][filter][8 of (tap, channel)], zeros where there is none.
Status pack_taps(const Conv& v, const uint16_t* f, void** packed, size_t* bytes) {
  const int64_t blocks = (v.m + kTapFilters - 1) / kTapFilters, chunks = chunks_of(v);
  const int64_t stored = 8 / v.stride;
  *bytes = static_cast<size_t>(blocks * kTapFilters * v.r * chunks * kChunkBytes);
  auto* host = new (std::nothrow) uint16_t[*bytes / 2]();
  if (!host) return {"out of memory", "pack_taps", __FILE__, __LINE__, false};
  for (int64_t m = 0; m < v.m; ++m)
    for (int64_t c = 0; c < v.c; ++c)
      for (int64_t r = 0; r < v.r; ++r)
        for (int64_t s = 0; s < v.s; ++s) {
          const int64_t k = s * stored + c, row = m / kTapFilters * v.r + r;
          host[((row * chunks + k / 8) * kTapFilters + m % kTapFilters) * 8 + k % 8] =
              f[((m * v.c + c) * v.r + r) * v.s + s];
        }
  const Status uploaded = device::upload(host, *bytes, packed);
  delete[] host;
  return uploaded;
}

Status prepare(const Shape& shape, Plan* plan) {
  const Conv v = conv_shape(&shape);
  if (!takes(v)) return prepare_conv_wgmma(shape, plan);
  const auto* constants = static_cast<const ConvConstants*>(shape.constants);
  const Status packed = pack_taps(v, static_cast<const uint16_t*>(constants->f), &plan->state,
                                  &plan->workspace_bytes);
  plan->release = [](void* filters) { cudaFree(filters); };
  if (!packed.ok()) return packed;
  return with_tap_tile(v, [&]<typename Tile>() -> Status {
    std::snprintf(plan->note, sizeof plan->note, "%d pixels x 64 filters, K of %d a filter row",
                  Tile::kPixels, 8 * chunks_of(v));
    return with_element<Bf16, Fp16>(shape.dtype, [&](auto element) -> Status {
      RIDGE_CUDA_CHECK(cudaFuncSetAttribute(conv_packed_taps_kernel<decltype(element), Tile>,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            shared_bytes_of(v)));
      return {};
    });
  });
}

/// How many parts an image's rows are cut into: one for each warpgroup that the SMs hold.
int parts_of(const Conv& v, int64_t tiles_across) {
  const int64_t parts = int64_t{sm_count()} * kTapGroups / (v.n * tiles_across);
  return static_cast<int>(parts < 1 ? 1 : parts > v.p ? v.p : parts);
}

template <typename Element, typename Tile>
Status launch_as(const Launch& launch, const Conv& v) {
  TapGrid g = {};
  g.x = launch.buffers[kConvX], g.f = launch.plan_state, g.bias = launch.buffers[kConvBias];
  g.y_data = launch.buffers[kConvY];
  g.n = static_cast<int>(v.n), g.h = static_cast<int>(v.h), g.w = static_cast<int>(v.w),
  g.c = static_cast<int>(v.c);
  g.m = static_cast<int>(v.m), g.r = static_cast<int>(v.r), g.pad = static_cast<int>(v.pad);
  g.p = static_cast<int>(v.p), g.q = static_cast<int>(v.q);
  g.chunks = chunks_of(v);
  g.relu = v.relu;
  g.by_engine = g.m % 8 == 0;
  g.strips = ceil_div(g.q, Tile::kPixels);
  const int blocks_m = ceil_div(g.m, kTapFilters), shared_bytes = Tile::shared_bytes(g.r, g.chunks);
  g.parts = parts_of(v, int64_t{g.strips} * blocks_m);
  TensorMap2d y = {Element::kMap, g.y_data,      v.q,         v.m,
                   v.m * 2,       Tile::kPixels, kTapFilters, CU_TENSOR_MAP_SWIZZLE_128B};
  y.matrices = v.n * v.p;
  if (g.by_engine) {
    if (const Status s = encode_tensor_map(y, &g.y); !s.ok()) return s;
  }
  const dim3 grid(static_cast<unsigned>(ceil_div(g.n * g.parts * g.strips, kTapGroups)),
                  static_cast<unsigned>(blocks_m));
  conv_packed_taps_kernel<Element, Tile>
      <<<grid, kTapThreads * kTapGroups, static_cast<size_t>(shared_bytes),
         static_cast<cudaStream_t>(v.stream)>>>(g);
  return RIDGE_CUDA_LAUNCHED(conv_packed_taps_kernel);
}

Status launch(const Launch& launch) {
  const Conv v = conv_of(&launch);
  if (!takes(v)) return launch_conv_wgmma(launch);
  return with_tap_tile(v, [&]<typename Tile>() {
    return with_element<Bf16, Fp16>(launch.shape.dtype, [&](auto element) {
      return launch_as<decltype(element), Tile>(launch, v);
    });
  });
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(conv, cuda, packed_taps, .dtypes = "bf16 fp16", .prepare = ridge::prepare,
             .launch = ridge::launch);
