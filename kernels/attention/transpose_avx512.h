// 16 x 16 floats, transposed in registers. Only for files with isa=avx512f; static only.
#pragma once

#include <immintrin.h>

#include "kernels/attention/blocks.h"

namespace ridge {

/// AttentionKernel::transpose. In four rounds rows 1, 2, 4 and 8 apart exchange lanes that are as far apart.
static inline void transpose_16(const float* from, int64_t stride, int64_t rows, int64_t columns,
                                float* to, int64_t width) {
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __mmask16 some = (__mmask16)(columns < 16 ? (1 << columns) - 1 : 0xffff);
  __m512 x[16];
  for (int64_t r = 0; r < 16; ++r) {
    x[r] = _mm512_maskz_loadu_ps(r < rows ? some : 0, from + r * stride);
  }
#pragma GCC unroll 4
  for (int apart = 1; apart < 16; apart *= 2) {
    const __m512i by = _mm512_set1_epi32(apart);
    const __mmask16 odd = _mm512_test_epi32_mask(lane, by);
    const __m512i low = _mm512_mask_add_epi32(lane, odd, lane, _mm512_set1_epi32(16 - apart));
    const __m512i high =
        _mm512_mask_add_epi32(_mm512_add_epi32(lane, by), odd, lane, _mm512_set1_epi32(16));
#pragma GCC unroll 16
    for (int r = 0; r < 16; ++r) {
      if (r & apart) continue;
      const __m512 first = x[r], second = x[r + apart];
      x[r] = _mm512_permutex2var_ps(first, low, second);
      x[r + apart] = _mm512_permutex2var_ps(first, high, second);
    }
  }
#pragma GCC unroll 16
  for (int64_t c = 0; c < 16; ++c) {
    if (c < columns) _mm512_storeu_ps(to + c * width, x[c]);
  }
}

}  // namespace ridge
