// The micro-kernel of a training step: a tile of C in named registers, kRows x two vectors. The including file
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

#define RIDGE_EACH_ROW(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13)
#define RIDGE_ZERO(i) Vec l##i = {}, r##i = {};
// Three rows to a pointer: an address has room for a base and once or twice a stride, a CPU for so many pointers.
#define RIDGE_STEP(i)                                       \
  if (i < rows) {                                           \
    const Packed s = broadcast(a[i / 3] + (i % 3) * a_row); \
    l##i = fma(s, left, l##i);                              \
    if (wide) r##i = fma(s, right, r##i);                   \
  }
#define RIDGE_STORE(i)                       \
  if (i < rows) {                            \
    Vec* to = (Vec*)(c + i * t->c_row);      \
    if (t->adds) l##i += load_sum(to);       \
    store_sum(to, l##i);                     \
    if (wide) {                              \
      if (t->adds) r##i += load_sum(to + 1); \
      store_sum(to + 1, r##i);               \
    }                                        \
  }

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
  RIDGE_EACH_ROW(RIDGE_ZERO)
  for (int64_t piece = 0; piece < t->pieces; ++piece) {
    const char *a[kBases], *b = (const char*)t->b + piece * t->b_piece;
#pragma GCC unroll 5
    for (int i = 0; i < kBases; ++i) a[i] = (const char*)t->a + piece * t->a_piece + 3 * i * a_row;
#pragma GCC unroll 2
    for (int64_t p = 0; p < steps; ++p, b += b_step) {
      const Packed left = load(b), right = wide ? load(b + sizeof(Vec)) : left;
      RIDGE_EACH_ROW(RIDGE_STEP)
#pragma GCC unroll 5
      for (int i = 0; i < kBases; ++i) a[i] += a_step;
    }
  }
  RIDGE_EACH_ROW(RIDGE_STORE)
}

static void tile(const MixedTile* t) {
  const bool wide = t->columns > kLanes;
#define RIDGE_ROWS(i)                               \
  case i + 1:                                       \
    return wide ? multiply < i < kRows ? i + 1 : 1, \
           true > (t)                               \
       : multiply < i < kRows ? i + 1               \
                              : 1,                  \
           false > (t);
  switch (t->rows) { RIDGE_EACH_ROW(RIDGE_ROWS) }
}

#undef RIDGE_ROWS
#undef RIDGE_STORE
#undef RIDGE_STEP
#undef RIDGE_ZERO
#undef RIDGE_EACH_ROW

}  // namespace ridge
