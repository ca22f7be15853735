// The int8 micro-kernel: a tile of 14 x 32 sums of 32 bits in registers; each step of four k loads two
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

inline __mmask16 lanes_inside(int64_t lanes) {
  return (__mmask16)(lanes >= 16 ? 0xffff : lanes <= 0 ? 0 : (1 << lanes) - 1);
}

template <int rows>
__attribute__((noinline)) void multiply(const PanelTile* t) {
  const __mmask16 low = lanes_inside(t->columns), high = lanes_inside(t->columns - 16);
  const uint8_t* a = (const uint8_t*)t->a;
  const __m512i* b = (const __m512i*)t->packed;
  int32_t* c = (int32_t*)t->acc;
  const __m512i start_left = b[0], start_right = b[1];
  __m512i acc[2][rows];
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i) {
    __builtin_prefetch(c + i * t->acc_stride, 1, 2);
    acc[0][i] = start_left, acc[1][i] = start_right;
  }
  b += 2;
#pragma GCC unroll 2
  for (int64_t p = 0; p < t->depth; p += kStep, a += kStep, b += 2) {
    const __m512i left = _mm512_load_si512(b), right = _mm512_load_si512(b + 1);
#pragma GCC unroll 14
    for (int i = 0; i < rows; ++i) {
      int32_t four;
      __builtin_memcpy(&four, a + i * kStride, sizeof(four));
      const __m512i s = _mm512_set1_epi32(four);
      dot(&acc[0][i], s, left);
      dot(&acc[1][i], s, right);
    }
  }
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i) store_row(t, i, low, high, acc[0][i], acc[1][i]);
}

template <int rows>
void vnni_tile_of(const PanelTile* t) {
  if (t->rows == rows) return multiply<rows>(t);
  if constexpr (rows > 1) vnni_tile_of<rows - 1>(t);
}
void vnni_tile(const PanelTile* t) {
  vnni_tile_of<kRows>(t);
}

}  // namespace
}  // namespace ridge
