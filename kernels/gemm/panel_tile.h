// The fp32 micro-kernel: a tile of kRows x two vectors of C in named registers; each step of k loads
// two vectors of B and broadcasts kRows elements of A. The including file has said, in namespace ridge,
//
//   Vec, Mask                 its vector of floats; which lanes are inside the matrix
//   kRows                     rows of the tile, 14 at most
//   broadcast(x)  fma(s, v, sum)  load(p)  store(p, v)
//   mask(lanes)  load_some(mask, p): zero outside  store_some(mask, p, v)
//
// and gets panel_tile(). Every count of rows has code of its own (the branches on `rows`, `wide` and
// `source` are decided at compile time): an edge costs what it has rows, not what a tile has. An array
// of accumulators might be spilled; named ones are not (looked up in the object code).
//
// ISA-flagged files include this header: C-like, static only.
#pragma once

#include "kernels/gemm/panels.h"

namespace ridge {

enum { kLanes = sizeof(Vec) / sizeof(float), kColumns = 2 * kLanes };
/// Steps of k in a block. Deep: a tile is then loaded and stored seldom. 1024 steps of the widest tile
/// read 57 KiB of A and 128 KiB of B: more than an L1 holds, but the L2 delivers both in time.
enum { kDepth = 1024, kStride = kDepth + 16 };
#define RIDGE_EACH_ROW(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13)
#define RIDGE_ZERO(i) Vec l##i = {}, r##i = {};
// C goes to the L2 cache while the sums are made: rows a power of two apart would share one set of L1.
#define RIDGE_FETCH(i)                                                        \
  if (i < rows) {                                                             \
    __builtin_prefetch(c + i * t->sum_stride, 1, 2);                          \
    if (wide) __builtin_prefetch(c + i * t->sum_stride + kColumns - 1, 1, 2); \
  }
#define RIDGE_STEP(i)                          \
  if (i < rows) {                              \
    const Vec s = broadcast(a + i * a_stride); \
    l##i = fma(s, left, l##i);                 \
    if (wide) r##i = fma(s, right, r##i);      \
  }
#define RIDGE_STORE(i)                                                                      \
  if (i < rows) {                                                                           \
    if (whole) {                                                                            \
      store(c, t->first ? l##i : l##i + load(c));                                           \
      store(c + kLanes, t->first ? r##i : r##i + load(c + kLanes));                         \
    } else {                                                                                \
      store_some(low, c, t->first ? l##i : l##i + load_some(low, c));                       \
      if (wide)                                                                             \
        store_some(high, c + kLanes, t->first ? r##i : r##i + load_some(high, c + kLanes)); \
    }                                                                                       \
    c += t->sum_stride;                                                                     \
  }

enum TileWidth { kNarrow, kWide, kWhole };

static inline __attribute__((always_inline)) void panel_multiply(const PanelTile* t, const int rows,
                                                                 const TileWidth width,
                                                                 const PanelSource source,
                                                                 const int64_t a_stride) {
  const bool whole = width == kWhole, wide = width != kNarrow;
  const Mask low = mask(t->columns), high = mask(t->columns - kLanes);
  const float *a = (const float*)t->a, *b = (const float*)t->b;
  float *packed = (float*)t->packed, *c = t->sum;
  RIDGE_EACH_ROW(RIDGE_FETCH)
  RIDGE_EACH_ROW(RIDGE_ZERO)
  // B unpacked: a tile fetches the next panel's part of each row, which the next tile copies. The rows
  // of one panel are a page or more apart, where no hardware prefetcher looks.
#pragma GCC unroll 4
  for (int64_t p = 0; p < t->depth; ++p, ++a) {
    Vec left, right = {};
    if (source == PanelSource::packed) {
      left = load(packed);
      if (wide) right = load(packed + kLanes);
    } else {
      left = whole ? load(b) : load_some(low, b);
      if (wide) right = whole ? load(b + kLanes) : load_some(high, b + kLanes);
      for (int j = 0; j < kColumns; j += 16) __builtin_prefetch(b + kColumns + j, 0, 2);
      __builtin_prefetch(b + 2 * kColumns - 1, 0, 2);
      b += t->stride;
    }
    if (source == PanelSource::copy) {
      store(packed, left);
      store(packed + kLanes, right);
    }
    packed += kColumns;
    RIDGE_EACH_ROW(RIDGE_STEP)
  }
  RIDGE_EACH_ROW(RIDGE_STORE)
}

static void panel_tile(const PanelTile* t) {
  const TileWidth width = t->columns == kColumns ? kWhole : t->columns > kLanes ? kWide : kNarrow;
#define RIDGE_WIDTHS(rows, source, a_stride)                     \
  switch (width) {                                               \
    case kWhole:                                                 \
      return panel_multiply(t, rows, kWhole, source, a_stride);  \
    case kWide:                                                  \
      return panel_multiply(t, rows, kWide, source, a_stride);   \
    default:                                                     \
      return panel_multiply(t, rows, kNarrow, source, a_stride); \
  }
#define RIDGE_ROWS(i)                                                                       \
  case i + 1:                                                                               \
    if (i >= kRows) return;                                                                 \
    if (t->source == PanelSource::direct) RIDGE_WIDTHS(i + 1, PanelSource::direct, kStride) \
    RIDGE_WIDTHS(i + 1, PanelSource::packed, kStride)
  // Copied are only panels that meet further rows, and so have met a whole panel of A. Read in place
  // are only whole panels of A. So neither needs code for fewer rows.
  if (t->a_stride != kStride) {
    if (t->source == PanelSource::copy) RIDGE_WIDTHS(kRows, PanelSource::copy, t->a_stride)
    if (t->source == PanelSource::packed) RIDGE_WIDTHS(kRows, PanelSource::packed, t->a_stride)
    RIDGE_WIDTHS(kRows, PanelSource::direct, t->a_stride)
  }
  if (t->source == PanelSource::copy) RIDGE_WIDTHS(kRows, PanelSource::copy, kStride)
  switch (t->rows) { RIDGE_EACH_ROW(RIDGE_ROWS) }
}

#undef RIDGE_ROWS
#undef RIDGE_WIDTHS
#undef RIDGE_STORE
#undef RIDGE_STEP
#undef RIDGE_FETCH
#undef RIDGE_ZERO
#undef RIDGE_EACH_ROW

}  // namespace ridge

#include "kernels/gemm/panel_dots.h"
