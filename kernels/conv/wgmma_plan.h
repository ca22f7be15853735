// The host's part of the convolutions on wgmma (wgmma_im2col.cu, even_tiles.cu): filters in slices, the cheapest tile,
// and the maps for the copy engine.
#pragma once

#include <cuda.h>

#include "kernels/runtime/problems/conv.h"

namespace ridge {

/// 16-bit filters on the device as [filter][tap][channel], channels zero-padded to slices of 64.
Status pack_filter_slices(const Shape& shape, void** packed, size_t* bytes);

/// A tile of wgmma_im2col.cu: 128 * blocks pixels by filters.
struct ConvTile {
  int blocks, filters;
  bool resident;        ///< the filters stay in shared memory
  double products = 0;  ///< clocks of its products at full rate for each slice of 64 channels at a tap, all waves
};
ConvTile cheapest_tile(const Conv& v);

/// What the loads of x and of the filters and the stores of y move at once, each by 64 channels.
struct ConvBoxes {
  CUtensorMapDataType type;
  int x_pixels, filters, y_pixels;
  bool is_plain = false;  ///< x as a matrix [pixel][channel], without im2col
};
/// The maps of a call. That of y only where its pixels begin at multiples of 16 bytes, as the copy engine needs.
Status encode_conv_maps(const Launch& launch, const Conv& v, const void* packed_filters, const ConvBoxes& boxes,
                        CUtensorMap* x, CUtensorMap* f, CUtensorMap* y);

}  // namespace ridge
