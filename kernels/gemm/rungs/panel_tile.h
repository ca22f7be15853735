// The fp32 micro-kernel: a tile of kRows x two vectors of C in registers, and its edges. The including file has said, in
// namespace ridge,
//
//   Vec, Mask                 its vector of floats; which lanes are inside the matrix
//   kRows                     rows of the tile, 14 at most
//   multiply_step()           the step of k that is all the arithmetic
//   fma(s, v, sum)  load(p)  store(p, v)
//   mask(lanes)  load_some(mask, p): zero outside  store_some(mask, p, v)
//
// and gets panel_tile(). Every count of rows has code of its own: an edge costs what it has rows, not what a tile has.
//
// How often panel_multiply() is instantiated is how long a learner waits for the compiler after a save: GCC 12 took
// 6.8 s for 14 rows of AVX-512 when every kind of tile had its own code, all of it in one function. Less than -O2 will
// not do: at -O1 it keeps the array of accumulators on the stack.
//
// ISA-flagged files include this header: C-like and static, its templates too, so that the linker sees none of them.
#pragma once

#include "kernels/runtime/cpu/panels.h"

namespace ridge {

enum { kLanes = sizeof(Vec) / sizeof(float), kColumns = 2 * kLanes };
/// Steps of k in a block. Deep: a tile is then loaded and stored seldom. 1024 steps of the widest tile
/// read 57 KiB of A and 128 KiB of B: more than an L1 holds, but the L2 delivers both in time.
enum { kDepth = 1024, kStride = kDepth + 16 };
/// Half of the highest tile, where it has so many rows: 14 chains of multiply-adds still fill two units.
enum { kHalfRows = kRows < 7 ? kRows : 7 };

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
  float *packed = (float*)t->packed, *c = t->acc;
  // C goes to the L2 cache while it is computed: rows a power of two apart would share one set of L1.
  for (int i = 0; i < rows; ++i) {
    __builtin_prefetch(c + i * t->acc_stride, 1, 2);
    if (wide) __builtin_prefetch(c + i * t->acc_stride + kColumns - 1, 1, 2);
  }
  Vec acc[2][rows] = {};  // in registers: every index is a constant once the loops are unrolled
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
    multiply_step<rows, wide>(a, a_stride, left, right, acc);
  }
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i, c += t->acc_stride) {
    if (!t->first) {
      acc[0][i] += width == kWhole ? load(c) : load_some(low, c);
      if (wide) acc[1][i] += width == kWhole ? load(c + kLanes) : load_some(high, c + kLanes);
    }
    if (whole) {
      store(c, acc[0][i]), store(c + kLanes, acc[1][i]);
    } else {
      store_some(low, c, acc[0][i]);
      if (wide) store_some(high, c + kLanes, acc[1][i]);
    }
  }
}

static void panel_tile(const PanelTile* t);

/// In two tiles: of B that is copied the second finds the copy.
static void panel_halves(const PanelTile* t) {
  PanelTile part = *t;
  part.rows = t->source == PanelSource::copy ? (int)kHalfRows : (t->rows + 1) / 2;
  panel_tile(&part);
  part.a = (const float*)t->a + part.rows * t->a_stride;
  part.acc += part.rows * t->acc_stride;
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

/// The code for t->rows, of 1 to `most`.
template <int most>
static void panel_rows(const PanelTile* t) {
  if (t->rows == most) return panel_edge<most, kEither>(t);
  if constexpr (most > 1) panel_rows<most - 1>(t);
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
  panel_rows<most>(t);
}

// ---- one column: a tile would fill one lane of its vectors -------------------------------------------

static inline float sum_of(Vec v) {
  float acc = 0;
  for (int j = 0; j < kLanes; ++j) acc += v[j];
  return acc;
}

/// PanelKernel::dots. Four rows at a time, two vectors of each, so that eight accumulators are in flight.
static void panel_dots(const void* a_rows, const void* column, void* result, int64_t rows,
                       int64_t k) {
  const float* b = (const float*)column;
  float* c = (float*)result;
  for (int64_t i = 0; i < rows; i += 4) {
    const float* a[4];
    Vec low[4] = {}, high[4] = {};
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) a[r] = (const float*)a_rows + panel_min(i + r, rows - 1) * k;
    int64_t p = 0;
    for (; p + kColumns <= k; p += kColumns) {
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) {
        low[r] = fma(load(a[r] + p), load(b + p), low[r]);
        high[r] = fma(load(a[r] + p + kLanes), load(b + p + kLanes), high[r]);
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) {
      if (i + r >= rows) break;
      float acc = sum_of(low[r] + high[r]);
      for (int64_t q = p; q < k; ++q) acc += a[r][q] * b[q];
      c[i + r] = acc;
    }
  }
}

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
