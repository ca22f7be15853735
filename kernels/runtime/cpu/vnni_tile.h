// The int8 micro-kernel: a tile of 14 x 32 sums of 32 bits in named registers; each step of four k loads two
// vectors of B and broadcasts a word of each row of A (vnni_panels.h). The including file has said, in an
// unnamed namespace of ridge, what becomes of a row of the tile:
//
//   store_row(tile, row, low, high, left, right)    the lanes of both vectors that are inside, and their sums
//
// and gets vnni_tile(). ISA-flagged files include it: static only.
#pragma once

#include "kernels/runtime/cpu/vnni_panels.h"

namespace ridge {
namespace {

#define RIDGE_EACH_ROW(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13)
#define RIDGE_START(i) __m512i l##i = start_left, r##i = start_right;
#define RIDGE_ROW(i)                                        \
  if (i < rows) {                                           \
    int32_t four;                                           \
    __builtin_memcpy(&four, a + i * kStride, sizeof(four)); \
    const __m512i s = _mm512_set1_epi32(four);              \
    dot(&l##i, s, left);                                    \
    dot(&r##i, s, right);                                   \
  }
#define RIDGE_FETCH(i) \
  if (i < rows) __builtin_prefetch(c + i * t->sum_stride, 1, 2);
#define RIDGE_STORE(i) \
  if (i < rows) store_row(t, i, low, high, l##i, r##i);

inline __mmask16 lanes_inside(int64_t lanes) {
  return (__mmask16)(lanes >= 16 ? 0xffff : lanes <= 0 ? 0 : (1 << lanes) - 1);
}

template <int rows>
__attribute__((noinline)) void multiply(const PanelTile* t) {
  const __mmask16 low = lanes_inside(t->columns), high = lanes_inside(t->columns - 16);
  const uint8_t* a = (const uint8_t*)t->a;
  const __m512i* b = (const __m512i*)t->packed;
  int32_t* c = (int32_t*)t->sum;
  const __m512i start_left = b[0], start_right = b[1];
  RIDGE_EACH_ROW(RIDGE_FETCH)
  RIDGE_EACH_ROW(RIDGE_START)
  b += 2;
#pragma GCC unroll 2
  for (int64_t p = 0; p < t->depth; p += kStep, a += kStep, b += 2) {
    const __m512i left = _mm512_load_si512(b), right = _mm512_load_si512(b + 1);
    RIDGE_EACH_ROW(RIDGE_ROW)
  }
  RIDGE_EACH_ROW(RIDGE_STORE)
}

void vnni_tile(const PanelTile* t) {
#define RIDGE_ROWS(i) \
  case i + 1:         \
    return multiply<i + 1>(t);
  switch (t->rows) { RIDGE_EACH_ROW(RIDGE_ROWS) }
}

#undef RIDGE_ROWS
#undef RIDGE_STORE
#undef RIDGE_FETCH
#undef RIDGE_ROW
#undef RIDGE_START
#undef RIDGE_EACH_ROW

}  // namespace
}  // namespace ridge
