// 16 x 16 words, transposed in registers, for packing. Only for files with isa=avx512f or more; static only.
#pragma once

#include <immintrin.h>

namespace ridge {
namespace {

/// What was word j of vector i is word i of vector j. Unrolled: with -O2 alone GCC 12 keeps x in memory, and
/// packing A took 1.6 times as long (fp32, n = 256).
inline void transpose(__m512i (&x)[16]) {
  __m512i y[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; i += 2) {
    y[i] = _mm512_unpacklo_epi32(x[i], x[i + 1]);
    y[i + 1] = _mm512_unpackhi_epi32(x[i], x[i + 1]);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 16; i += 4) {
#pragma GCC unroll 16
    for (int j = 0; j < 2; ++j) {
      x[i + 2 * j] = _mm512_unpacklo_epi64(y[i + j], y[i + j + 2]);
      x[i + 2 * j + 1] = _mm512_unpackhi_epi64(y[i + j], y[i + j + 2]);
    }
  }
  // Quarters of 128 bits: x[4 q + j] holds of rows 4 q to 4 q + 3 the columns j, j + 4, j + 8, j + 12.
#pragma GCC unroll 16
  for (int j = 0; j < 4; ++j) {
    const __m512i a = _mm512_shuffle_i32x4(x[j], x[4 + j], 0x88);
    const __m512i b = _mm512_shuffle_i32x4(x[j], x[4 + j], 0xdd);
    const __m512i c = _mm512_shuffle_i32x4(x[8 + j], x[12 + j], 0x88);
    const __m512i d = _mm512_shuffle_i32x4(x[8 + j], x[12 + j], 0xdd);
    y[j] = _mm512_shuffle_i32x4(a, c, 0x88);
    y[4 + j] = _mm512_shuffle_i32x4(b, d, 0x88);
    y[8 + j] = _mm512_shuffle_i32x4(a, c, 0xdd);
    y[12 + j] = _mm512_shuffle_i32x4(b, d, 0xdd);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) x[i] = y[i];
}

}  // namespace
}  // namespace ridge
