// A row of scores becomes weights, 16 at a time. Only for files with isa=avx512f; static only.
#pragma once

#include <immintrin.h>
#include <stdint.h>

#include "kernels/attention/rungs/blocks.h"
#include "kernels/runtime/cpu/exp2_avx512.h"

namespace ridge {

/// Of a row: the exponent of 2 is score * scale - shift.
struct WeightsExponent {
  float scale, shift;
};

/// `of` null: the shift has been subtracted. A constant at each call, so that no vector asks.
static inline __attribute__((always_inline)) __m512 weight_of(__m512 score,
                                                              const WeightsExponent* of) {
  if (!of) return exp2_of(score);
  return exp2_of(_mm512_fmsub_ps(score, _mm512_set1_ps(of->scale), _mm512_set1_ps(of->shift)));
}

/// Lanes of the 16 keys from `j` on that a row of `keys` keys sees.
static inline __mmask16 seen(int64_t keys, int64_t j) {
  return (__mmask16)(keys - j >= 16 ? 0xffff : keys <= j ? 0 : (1 << (keys - j)) - 1);
}

/// The largest score of the keys that the row sees.
static inline float row_max_of(const float* row, int64_t keys, int64_t columns) {
  __m512 most = _mm512_set1_ps(-__builtin_inff());
  for (int64_t j = 0; j < columns; j += 16) {
    most = _mm512_mask_max_ps(most, seen(keys, j), most, _mm512_loadu_ps(row + j));
  }
  return _mm512_reduce_max_ps(most);
}

/// One row's weights, in place, and their sums, lane by lane.
static inline __attribute__((always_inline)) __m512 weights_of(float* row, int64_t keys,
                                                               int64_t columns,
                                                               const WeightsExponent* of) {
  __m512 total = _mm512_setzero_ps();
  const int64_t whole = keys < columns ? keys & -16 : columns;
  for (int64_t j = 0; j < whole; j += 16) {
    const __m512 p = weight_of(_mm512_loadu_ps(row + j), of);
    total = _mm512_add_ps(total, p);
    _mm512_storeu_ps(row + j, p);
  }
  for (int64_t j = whole < 0 ? 0 : whole; j < columns; j += 16) {
    const __mmask16 mask = seen(keys, j);
    const __m512 p = _mm512_maskz_mov_ps(mask, weight_of(_mm512_maskz_loadu_ps(mask, row + j), of));
    total = _mm512_add_ps(total, p);
    _mm512_storeu_ps(row + j, p);
  }
  return total;
}

/// AttentionKernel::weights: `most` is what no 16th of a row's weights of a block may add up to more than;
/// `shifted`: scores from which the shift has been subtracted.
static inline __attribute__((always_inline)) bool weights_of_strip(const AttentionStrip* strip,
                                                                   int64_t rows, float most,
                                                                   bool shifted) {
  __m512 totals[kMaxRows], row_max = _mm512_setzero_ps();
  for (int64_t i = 0; i < rows; ++i) {
    const WeightsExponent of = {strip->scale[i], strip->shift[i]};
    totals[i] = weights_of(strip->s + i * kRowStride, strip->keys[i], strip->columns,
                           shifted ? nullptr : &of);
    row_max = _mm512_max_ps(totals[i], row_max);
  }
  if (_mm512_cmp_ps_mask(row_max, _mm512_set1_ps(most), _CMP_NLE_UQ)) return false;
  for (int64_t i = 0; i < rows; ++i) {
    float* sum = strip->sum + 16 * i;
    _mm512_storeu_ps(sum, _mm512_add_ps(totals[i], _mm512_loadu_ps(sum)));
  }
  return true;
}

}  // namespace ridge
