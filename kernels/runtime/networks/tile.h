// The micro-kernel of a training step: a tile of C in registers, kRows x two vectors. The including file
// has said, in namespace ridge,
//
//   Vec, Packed               vectors of sums, and of items
//   kRows, kLanes             of the tile and of a vector
//   broadcast(p)  load(p)     items to a vector
//   fma(s, v, sum)            sum + s v
//
// kernels/gemm/rungs/panel_tile.h is the same idea with rows and columns of B in place, masks and copying on the way.
// Here every operand has two strides for its steps: the three lines of a 3 x 3 window are three pieces of a sum, so
// that a convolution is read from its image where it lies, unfolded nowhere. Source of that: Georganas et al.,
// Anatomy of High-Performance Deep Learning Convolutions (SC 2018).
//
// C-like and static, its templates too: ISA-flagged files include it.
#pragma once

#include "kernels/runtime/networks/ops.h"

namespace ridge {

static inline Vec load_sum(const Vec* p) {
  Vec v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}

static inline void store_sum(Vec* p, Vec v) {
  __builtin_memcpy(p, &v, sizeof(v));
}

template <int rows, bool wide>
static __attribute__((noinline)) void multiply(const MixedTile* t) {
  constexpr int kBases = (rows + 2) / 3;
  const int64_t a_row = t->a_row, a_step = t->a_step, b_step = t->b_step, steps = t->steps;
  float* c = t->c;
  Vec acc[2][rows] = {};
  for (int64_t piece = 0; piece < t->pieces; ++piece) {
    // Three rows to a pointer: an address has room for a base and once or twice a stride, a CPU for so many pointers.
    const char *a[kBases], *b = (const char*)t->b + piece * t->b_piece;
#pragma GCC unroll 5
    for (int i = 0; i < kBases; ++i) a[i] = (const char*)t->a + piece * t->a_piece + 3 * i * a_row;
#pragma GCC unroll 2
    for (int64_t p = 0; p < steps; ++p, b += b_step) {
      const Packed left = load(b), right = wide ? load(b + sizeof(Vec)) : left;
#pragma GCC unroll 14
      for (int i = 0; i < rows; ++i) {
        const Packed s = broadcast(a[i / 3] + (i % 3) * a_row);
        acc[0][i] = fma(s, left, acc[0][i]);
        if (wide) acc[1][i] = fma(s, right, acc[1][i]);
      }
#pragma GCC unroll 5
      for (int i = 0; i < kBases; ++i) a[i] += a_step;
    }
  }
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i) {
    Vec* to = (Vec*)(c + i * t->c_row);
#pragma GCC unroll 2
    for (int half = 0; half < (wide ? 2 : 1); ++half) {
      if (t->adds) acc[half][i] += load_sum(to + half);
      store_sum(to + half, acc[half][i]);
    }
  }
}

template <int rows>
static void tile_of(const MixedTile* t) {
  if (t->rows < rows) {
    if constexpr (rows > 1) tile_of<rows - 1>(t);
    return;
  }
  t->columns > kLanes ? multiply<rows, true>(t) : multiply<rows, false>(t);
}
static void tile(const MixedTile* t) {
  tile_of<kRows>(t);
}

}  // namespace ridge
