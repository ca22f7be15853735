// Packing 16 x 16 floats of a matrix, transposed. Only for files with isa=avx512f; static only.
#pragma once

#include <stdint.h>

#include "kernels/runtime/cpu/transpose_avx512.h"

namespace ridge {

/// AttentionKernel::transpose.
static inline void transpose_16(const float* from, int64_t stride, int64_t rows, int64_t columns,
                                float* to, int64_t width) {
  const __mmask16 some = (__mmask16)(columns < 16 ? (1 << columns) - 1 : 0xffff);
  __m512i x[16];
#pragma GCC unroll 16
  for (int64_t r = 0; r < 16; ++r) {
    x[r] = _mm512_maskz_loadu_epi32(r < rows ? some : 0, from + r * stride);
  }
  transpose(x);
#pragma GCC unroll 16
  for (int64_t c = 0; c < 16; ++c) {
    if (c < columns) _mm512_storeu_epi32(to + c * width, x[c]);
  }
}

}  // namespace ridge
