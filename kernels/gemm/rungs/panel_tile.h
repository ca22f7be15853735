// The fp32 micro-kernel: a tile of kRows x two vectors of C in named registers; each step of k loads
// two vectors of B and broadcasts kRows elements of A. The including file has said, in namespace ridge,
//
//   Vec, Mask                 its vector of floats; which lanes are inside the matrix
//   kRows                     rows of the tile, 14 at most
//   broadcast(x)  fma(s, v, sum)  load(p)  store(p, v)
//   mask(lanes)  load_some(mask, p): zero outside  store_some(mask, p, v)
//
// and gets panel_tile(). Every count of rows has code of its own: an edge costs what it has rows, not what
// a tile has. An array of accumulators might be spilled; named ones are not (looked up in the object code).
//
// How often panel_multiply() is instantiated is how long a learner waits for the compiler after a save.
// GCC 12 took 6.8 s for 14 rows of AVX-512 when every kind of tile had its own code, all of it in one
// function at -O2; the 28 functions of today take 0.6 s at -O1, and are as fast (in pairs, n = 64 to 1024
// and thin shapes: 0.98 to 1.02 of the speed, but 0.97 at m = 8, where B is read in place).
//
// ISA-flagged files include this header: C-like and static, its templates too, so that the linker sees
// none of them.
#pragma once

#include "kernels/runtime/cpu/panels.h"

namespace ridge {

enum { kLanes = sizeof(Vec) / sizeof(float), kColumns = 2 * kLanes };
/// Steps of k in a block. Deep: a tile is then loaded and stored seldom. 1024 steps of the widest tile
/// read 57 KiB of A and 128 KiB of B: more than an L1 holds, but the L2 delivers both in time.
enum { kDepth = 1024, kStride = kDepth + 16 };
/// Half of the highest tile, where it has so many rows: 14 chains of multiply-adds still fill two units.
enum { kHalfRows = kRows < 7 ? kRows : 7 };

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
#define RIDGE_ADD(i)                                                                          \
  if (i < rows) {                                                                             \
    const float* from = c + i * t->sum_stride;                                                \
    l##i += width == kWhole ? load(from) : load_some(low, from);                              \
    if (wide) r##i += width == kWhole ? load(from + kLanes) : load_some(high, from + kLanes); \
  }
#define RIDGE_STORE(i)                                      \
  if (i < rows) {                                           \
    if (whole)                                              \
      store(c, l##i), store(c + kLanes, r##i);              \
    else                                                    \
      store_some(low, c, l##i);                             \
    if (wide && !whole) store_some(high, c + kLanes, r##i); \
    c += t->sum_stride;                                     \
  }

/// Columns: one vector or less; two, masked; two whole ones.
enum TileWidth { kNarrow, kWide, kWhole };
/// B: a packed panel; B itself, copied to the panel or not; packed or B itself, which the tile says.
enum TileSource { kPacked, kCopy, kDirect, kEither };

/// `in_place`: rows of A lie t->a_stride apart, else kStride, which is known to the compiler.
template <int rows, TileWidth width, TileSource source, bool in_place>
static __attribute__((noinline)) void panel_multiply(const PanelTile* t) {
  constexpr bool wide = width != kNarrow;
  const bool whole = width == kWhole || (wide && t->columns == kColumns);
  const bool is_packed =
      source == kPacked || (source == kEither && t->source == PanelSource::packed);
  const int64_t a_stride = in_place ? t->a_stride : (int64_t)kStride;
  const int64_t b_stride = is_packed ? (int64_t)kColumns : t->stride;
  const Mask low = mask(t->columns), high = mask(t->columns - kLanes);
  // A packed panel has zeros where C ends.
  const Mask b_low = is_packed ? mask(kLanes) : low, b_high = is_packed ? mask(kLanes) : high;
  const float *a = (const float*)t->a, *b = (const float*)(is_packed ? t->packed : t->b);
  float *packed = (float*)t->packed, *c = t->sum;
  RIDGE_EACH_ROW(RIDGE_FETCH)
  RIDGE_EACH_ROW(RIDGE_ZERO)
  // B unpacked: a tile fetches the next panel's part of each row, which the next tile copies. The rows
  // of one panel are a page or more apart, where no hardware prefetcher looks.
#pragma GCC unroll 2
  for (int64_t p = 0; p < t->depth; ++p, ++a, b += b_stride) {
    const bool unmasked = width == kWhole || source == kPacked;
    Vec left = unmasked ? load(b) : load_some(b_low, b), right = {};
    if (wide) right = unmasked ? load(b + kLanes) : load_some(b_high, b + kLanes);
    if (source != kPacked) {
      for (int j = 0; j < kColumns; j += 16) __builtin_prefetch(b + kColumns + j, 0, 2);
      __builtin_prefetch(b + 2 * kColumns - 1, 0, 2);
    }
    if (source == kCopy) {
      store(packed, left);
      store(packed + kLanes, right);
      packed += kColumns;
    }
    RIDGE_EACH_ROW(RIDGE_STEP)
  }
  if (!t->first) {
    RIDGE_EACH_ROW(RIDGE_ADD)
  }
  RIDGE_EACH_ROW(RIDGE_STORE)
}

static void panel_tile(const PanelTile* t);

/// In two tiles: of B that is copied the second finds the copy.
static void panel_halves(const PanelTile* t) {
  PanelTile part = *t;
  part.rows = t->source == PanelSource::copy ? (int)kHalfRows : (t->rows + 1) / 2;
  panel_tile(&part);
  part.a = (const float*)t->a + part.rows * t->a_stride;
  part.sum += part.rows * t->sum_stride;
  part.rows = t->rows - part.rows;
  if (t->source == PanelSource::copy) part.source = PanelSource::packed;
  panel_tile(&part);
}

/// Where C ends in this tile: below, on the right, or both.
template <int rows, TileSource source>
static void panel_edge(const PanelTile* t) {
  constexpr bool halves = rows > kHalfRows && source != kPacked;
  if (t->columns > kLanes) return panel_multiply<rows, kWide, source, true>(t);
  if (halves) return panel_halves(t);
  panel_multiply<halves ? 1 : rows, kNarrow, source, true>(t);
}

static void panel_tile(const PanelTile* t) {
  const bool copy = t->source == PanelSource::copy;
  if (t->rows == kRows && t->columns == kColumns) {
    if (copy) return panel_multiply<kRows, kWhole, kCopy, true>(t);
    if (t->source == PanelSource::direct) return panel_multiply<kRows, kWhole, kDirect, true>(t);
    if (t->a_stride != kStride) return panel_multiply<kRows, kWhole, kPacked, true>(t);
    return panel_multiply<kRows, kWhole, kPacked, false>(t);
  }
  if (t->rows == kRows && t->source == PanelSource::packed) return panel_edge<kRows, kPacked>(t);
  if (t->rows == kRows && (int)kRows > kHalfRows) return panel_halves(t);
  // Copied are only panels that meet further rows, and so have met a whole panel of A.
  if (copy) return panel_edge<kHalfRows, kCopy>(t);
  constexpr int most = (int)kRows > kHalfRows ? kRows - 1 : kRows;
#define RIDGE_ROWS(i) \
  case i + 1:         \
    return panel_edge < i < most ? i + 1 : 1, kEither > (t);
  switch (t->rows) { RIDGE_EACH_ROW(RIDGE_ROWS) }
}

#undef RIDGE_ROWS
#undef RIDGE_STORE
#undef RIDGE_ADD
#undef RIDGE_STEP
#undef RIDGE_FETCH
#undef RIDGE_ZERO
#undef RIDGE_EACH_ROW

}  // namespace ridge

#include "kernels/gemm/rungs/panel_dots.h"

namespace ridge {

/// The rung's tile as the loops of panels.h take it.
static constexpr PanelKernel kFp32Panels = {.rows = kRows,
                                            .columns = kColumns,
                                            .bytes = sizeof(float),
                                            .c_bytes = sizeof(float),
                                            .depth = kDepth,
                                            .a_stride = kStride,
                                            .in_place = true,
                                            .tile = panel_tile,
                                            .dots = panel_dots};

}  // namespace ridge
