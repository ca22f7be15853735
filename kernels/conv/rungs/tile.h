// The register tile of the vectorised convolutions: six output pixels times `vecs` vectors of filters. The
// including file has said, in namespace ridge,
//
//   Vec, kVecs                       its vector of floats; vectors of filters in a tile, 4 at most
//   broadcast(p)  fma(a, b, sum)  load(p)  store(p, v)  positive(v): max(0, v)
//
// and gets conv_tile(), and conv_each() for depthwise. Each channel of each tap takes `vecs` loads of weights and six broadcasts of x for
// 6 * vecs multiply-adds. Where the six pixels' inputs stand comes from a table (ConvTile::offsets), so that
// the tile neither knows of rows, strides and padding nor ends with a row.
//
// Source: M. Dukhan, The Indirect Convolution Algorithm, arXiv:1907.02129 (the table); the tile as in
// kernels/gemm/rungs/panel_tile.h.
//
// ISA-flagged files include this header: C-like and static, its templates too.
#pragma once

#include "kernels/conv/rungs/blocks.h"

namespace ridge {

static constexpr int kLanes = sizeof(Vec) / sizeof(float);
enum { kPixels = 6 };

static inline __attribute__((always_inline)) void conv_store(const ConvTile* t, float* y,
                                                             const int vec, Vec sum) {
  y += vec * kLanes / 16 * t->y_block + vec * kLanes % 16;
  if (!t->first) sum += load(y);
  if (t->bias) sum = positive(sum + load(t->bias + vec * kLanes));
  store(y, sum);
}

/// The accumulators are in registers: every index is a constant once the loops are unrolled.
template <int pixels, int vecs>
static inline __attribute__((always_inline)) void conv_multiply(const ConvTile* t) {
  Vec acc[pixels][vecs] = {};
  const float* f = t->f;
  const float* image = t->x;
  for (int64_t block = 0; block < t->blocks; ++block, image += t->x_block) {
    const int lanes = block + 1 < t->blocks ? 16 : t->last_lanes;
    const int32_t* offset = t->offsets;
    for (int64_t tap = 0; tap < t->taps; ++tap, offset += t->offsets_tap) {
      const float* x[pixels];
#pragma GCC unroll 6
      for (int i = 0; i < pixels; ++i) x[i] = offset[i] >= 0 ? image + offset[i] : t->zeros;
      const float* w = f;
#pragma GCC unroll 4
      for (int lane = 0; lane < lanes; ++lane, w += kVecs * kLanes) {
        Vec weight[vecs];
#pragma GCC unroll 4
        for (int j = 0; j < vecs; ++j) weight[j] = load(w + j * kLanes);
#pragma GCC unroll 6
        for (int i = 0; i < pixels; ++i) {
          const Vec value = broadcast(x[i] + lane);
#pragma GCC unroll 4
          for (int j = 0; j < vecs; ++j) acc[i][j] = fma(value, weight[j], acc[i][j]);
        }
      }
      f += 16 * kVecs * kLanes;
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < pixels; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < vecs; ++j) conv_store(t, t->y + i * t->y_pixel, j, acc[i][j]);
  }
}

template <int pixels>
static inline __attribute__((always_inline)) void conv_multiply_each(const ConvTile* t) {
  for (int lane = 0; lane < 16; lane += kLanes) {
    Vec acc[pixels] = {};
    const int32_t* offset = t->offsets;
    for (int64_t tap = 0; tap < t->taps; ++tap, offset += t->offsets_tap) {
      const Vec w = load(t->f + tap * 16 + lane);
#pragma GCC unroll 6
      for (int i = 0; i < pixels; ++i) {
        const float* x = offset[i] >= 0 ? t->x + offset[i] : t->zeros;
        acc[i] = fma(load(x + lane), w, acc[i]);
      }
    }
#pragma GCC unroll 6
    for (int i = 0; i < pixels; ++i)
      conv_store(t, t->y + i * t->y_pixel, lane / kLanes, acc[i]);
  }
}

/// ConvKernel::each, of t->pixels or fewer.
template <int pixels>
static void conv_each_of(const ConvTile* t) {
  if (t->pixels == pixels) return conv_multiply_each<pixels>(t);
  if constexpr (pixels > 1) conv_each_of<pixels - 1>(t);
}
static void conv_each(const ConvTile* t) {
  conv_each_of<kPixels>(t);
}

/// ConvKernel::tile. Every count of pixels and vectors has code of its own, decided at compile time.
template <int pixels>
static void conv_tile_of(const ConvTile* t) {
  if (t->pixels < pixels) {
    if constexpr (pixels > 1) conv_tile_of<pixels - 1>(t);
    return;
  }
  if (t->vecs == 1) return conv_multiply<pixels, 1>(t);
  if (t->vecs == 2) return conv_multiply<pixels, 2>(t);
  if constexpr (kVecs > 2) {
    if (t->vecs == 3) return conv_multiply<pixels, 3>(t);
    conv_multiply<pixels, 4>(t);
  }
}
static void conv_tile(const ConvTile* t) {
  conv_tile_of<kPixels>(t);
}

}  // namespace ridge
