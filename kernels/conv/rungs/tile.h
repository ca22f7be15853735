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
// Tried: an array of vectors with unrolled loops, as in panel_tile.h; with AVX-512 it is 8 % slower on a Xeon, although
// nothing is spilled. So each pixel has a row of macros here.
//
// ISA-flagged files include this header: C-like, static only.
#pragma once

#include "kernels/conv/rungs/blocks.h"

namespace ridge {

static constexpr int kLanes = sizeof(Vec) / sizeof(float);
#define RIDGE_EACH_PIXEL(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#define RIDGE_ZERO(i) Vec a##i = {}, b##i = {}, c##i = {}, d##i = {};
#define RIDGE_PLACE(i)                      \
  if (i < pixels) {                         \
    const int32_t at = offset[i];           \
    x##i = at >= 0 ? image + at : t->zeros; \
  }
#define RIDGE_STEP(i)                      \
  if (i < pixels) {                        \
    const Vec x = broadcast(x##i + lane);  \
    a##i = fma(x, wa, a##i);               \
    if (vecs > 1) b##i = fma(x, wb, b##i); \
    if (vecs > 2) c##i = fma(x, wc, c##i); \
    if (vecs > 3) d##i = fma(x, wd, d##i); \
  }
#define RIDGE_STORE(i)                       \
  if (i < pixels) {                          \
    float* y = t->y + i * t->y_pixel;        \
    conv_store(t, y, 0, a##i);               \
    if (vecs > 1) conv_store(t, y, 1, b##i); \
    if (vecs > 2) conv_store(t, y, 2, c##i); \
    if (vecs > 3) conv_store(t, y, 3, d##i); \
  }

static inline __attribute__((always_inline)) void conv_store(const ConvTile* t, float* y, const int vec, Vec acc) {
  y += vec * kLanes / 16 * t->y_block + vec * kLanes % 16;
  if (!t->first) acc += load(y);
  if (t->bias) acc = positive(acc + load(t->bias + vec * kLanes));
  store(y, acc);
}

static inline __attribute__((always_inline)) void conv_multiply(const ConvTile* t, const int pixels,
                                                                const int vecs) {
  RIDGE_EACH_PIXEL(RIDGE_ZERO)
  const float* f = t->f;
  const float* image = t->x;
  for (int64_t block = 0; block < t->blocks; ++block, image += t->x_block) {
    const int lanes = block + 1 < t->blocks ? 16 : t->last_lanes;
    const int32_t* offset = t->offsets;
    for (int64_t tap = 0; tap < t->taps; ++tap, offset += t->offsets_tap) {
      const float *x0, *x1, *x2, *x3, *x4, *x5;
      x0 = x1 = x2 = x3 = x4 = x5 = t->zeros;
      RIDGE_EACH_PIXEL(RIDGE_PLACE)
      const float* w = f;
#pragma GCC unroll 4
      for (int lane = 0; lane < lanes; ++lane, w += kVecs * kLanes) {
        const Vec wa = load(w);
        const Vec wb = vecs > 1 ? load(w + kLanes) : wa;
        const Vec wc = vecs > 2 ? load(w + 2 * kLanes) : wa;
        const Vec wd = vecs > 3 ? load(w + 3 * kLanes) : wa;
        RIDGE_EACH_PIXEL(RIDGE_STEP)
      }
      f += 16 * kVecs * kLanes;
    }
  }
  RIDGE_EACH_PIXEL(RIDGE_STORE)
}

#define RIDGE_EACH_STEP(i)                                              \
  if (i < pixels) {                                                     \
    const int32_t at = offset[i];                                       \
    a##i = fma(load((at >= 0 ? t->x + at : t->zeros) + lane), w, a##i); \
  }
#define RIDGE_EACH_STORE(i) \
  if (i < pixels) conv_store(t, t->y + i * t->y_pixel, lane / kLanes, a##i);

static inline __attribute__((always_inline)) void conv_multiply_each(const ConvTile* t,
                                                                     const int pixels) {
  for (int lane = 0; lane < 16; lane += kLanes) {
    Vec a0 = {}, a1 = {}, a2 = {}, a3 = {}, a4 = {}, a5 = {};
    const int32_t* offset = t->offsets;
    for (int64_t tap = 0; tap < t->taps; ++tap, offset += t->offsets_tap) {
      const Vec w = load(t->f + tap * 16 + lane);
      RIDGE_EACH_PIXEL(RIDGE_EACH_STEP)
    }
    RIDGE_EACH_PIXEL(RIDGE_EACH_STORE)
  }
}

/// ConvKernel::each.
static void conv_each(const ConvTile* t) {
#define RIDGE_COUNT(i) \
  case i + 1:          \
    return conv_multiply_each(t, i + 1);
  switch (t->pixels) { RIDGE_EACH_PIXEL(RIDGE_COUNT) }
}

/// ConvKernel::tile. Every count of pixels and vectors has code of its own, decided at compile time.
static void conv_tile(const ConvTile* t) {
#define RIDGE_VECS(i)                                                 \
  case i + 1:                                                         \
    if (t->vecs == 1) return conv_multiply(t, i + 1, 1);              \
    if (t->vecs == 2) return conv_multiply(t, i + 1, 2);              \
    if (kVecs > 2 && t->vecs == 3) return conv_multiply(t, i + 1, 3); \
    if (kVecs > 2) return conv_multiply(t, i + 1, 4);                 \
    return;
  switch (t->pixels) { RIDGE_EACH_PIXEL(RIDGE_VECS) }
}

#undef RIDGE_VECS
#undef RIDGE_COUNT
#undef RIDGE_EACH_STORE
#undef RIDGE_EACH_STEP
#undef RIDGE_STORE
#undef RIDGE_STEP
#undef RIDGE_PLACE
#undef RIDGE_ZERO
#undef RIDGE_EACH_PIXEL

}  // namespace ridge
