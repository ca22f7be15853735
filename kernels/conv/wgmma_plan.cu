// ridge: arch=75
#include "kernels/conv/wgmma_plan.h"

#include <new>

#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/conv/tensor_map_im2col.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/upload.h"

namespace ridge {
namespace {

using device::kSliceBytes;

constexpr int kSlice = 64;  // channels
constexpr ConvTile kTiles[] = {{1, 64, false},  {2, 64, false}, {1, 128, false}, {2, 128, false},
                               {1, 256, false}, {2, 64, true},  {1, 256, true}};

}  // namespace

/// Waves of all SMs times what a tile costs: its products, or what it brings, whichever takes longer. A clock of
/// an SM does 2,048 multiply-adds (1,500 with 64 filters, whose operand from shared memory binds), and gets
/// about 40 bytes from the L2.
ConvTile cheapest_tile(const Conv& v) {
  ConvTile best = kTiles[0];
  double min_cost = 1e300;
  for (const ConvTile& tile : kTiles) {
    const int64_t slices = v.r * v.s * ceil_div(v.c, kSlice);
    const bool fits = v.m <= tile.filters && slices * tile.filters * kSliceBytes <= 72 * 1024;
    if (tile.resident && !fits) continue;
    const double pixels = 128.0 * tile.blocks, filters = tile.filters;
    const auto tiles = ceil_div(v.n * v.p * v.q, 128 * tile.blocks) * ceil_div(v.m, tile.filters);
    const double products = pixels * filters * kSlice / (tile.filters == 64 ? 1500 : 2048);
    const double bytes = (pixels + (tile.resident ? 0 : filters)) * kSliceBytes / 40;
    const auto waves = double(ceil_div(tiles, sm_count()));
    const double cost = waves * (products > bytes ? products : bytes);
    if (cost < 0.999 * min_cost) min_cost = cost, best = tile, best.products = waves * products;
  }
  return best;
}

Status pack_filter_slices(const Shape& shape, void** packed, size_t* bytes) {
  const Conv v = conv_shape(&shape);
  const auto* f = static_cast<const uint16_t*>(static_cast<const ConvConstants*>(shape.constants)->f);
  const int64_t taps = v.r * v.s, stored = round_up(v.c, kSlice);
  *bytes = static_cast<size_t>(v.m * taps * stored) * 2;
  auto* host = new (std::nothrow) uint16_t[*bytes / 2]();
  if (!host) return {"out of memory", "pack_filter_slices", __FILE__, __LINE__, false};
  for (int64_t m = 0; m < v.m; ++m)
    for (int64_t c = 0; c < v.c; ++c)
      for (int64_t tap = 0; tap < taps; ++tap) host[(m * taps + tap) * stored + c] = f[(m * v.c + c) * taps + tap];
  const Status uploaded = device::upload(host, *bytes, packed);
  delete[] host;
  return uploaded;
}

Status encode_conv_maps(const Launch& launch, const Conv& v, const void* packed_filters, const ConvBoxes& boxes,
                        CUtensorMap* x, CUtensorMap* f, CUtensorMap* y) {
  const auto matrix = [&](const void* data, int64_t rows, int64_t columns, int box_rows, CUtensorMap* map) {
    const device::TensorMap2d described = {boxes.type,  data,     rows,   columns,
                                           columns * 2, box_rows, kSlice, CU_TENSOR_MAP_SWIZZLE_128B};
    return device::encode_tensor_map(described, map);
  };
  const auto images = [&] {
    device::TensorMapIm2col described;
    described.type = boxes.type;
    described.data = launch.buffers[kConvX];
    described.n = v.n, described.h = v.h, described.w = v.w, described.c = v.c;
    described.r = static_cast<int>(v.r), described.s = static_cast<int>(v.s);
    described.stride = static_cast<int>(v.stride), described.pad = static_cast<int>(v.pad);
    described.pixels = boxes.x_pixels;
    return device::encode_tensor_map_im2col(described, x);
  };
  const int64_t pixels = v.n * v.p * v.q, columns = v.r * v.s * round_up(v.c, kSlice);
  const Status of_x = boxes.is_plain ? matrix(launch.buffers[kConvX], pixels, v.c, boxes.x_pixels, x) : images();
  if (!of_x.ok()) return of_x;
  if (const Status s = matrix(packed_filters, v.m, columns, boxes.filters, f); !s.ok()) return s;
  if (v.m % 8 != 0) return {};
  return matrix(launch.buffers[kConvY], pixels, v.m, boxes.y_pixels, y);
}

}  // namespace ridge
