// ridge: isa=avx512f flags=-O2,-Wno-uninitialized,-Wno-maybe-uninitialized
//
// Idea      Both products as matrix products should be: 14 x 32 sums in registers, operands in packed
//           panels. The exponentials 16 at a time: 2^x is an exponent, put in place by one instruction, and
//           a polynomial of degree 5 on [-1/2, 1/2].
// Changed   14 queries share each key and value that is loaded. log2(e) / sqrt(d) is multiplied into Q
//           beforehand; one exponential is nine instructions for 16 lanes, where expf() was a call for each.
// Limits    The FMA units. At head size 128 a score costs 256 multiply-adds and one exponential.
// Look at   Head size 64 against 128: the same number of exponentials for half the arithmetic.
// Source    Register tile: Goto and van de Geijn (TOMS 2008). Polynomial: Remez's algorithm, relative error
//           7.5e-8. Online softmax: Dao et al., arXiv:2205.14135.
#include <immintrin.h>

#include "kernels/attention/blocks.h"
#include "kernels/attention/exp2_avx512.h"

namespace ridge {
namespace {

#define RIDGE_EACH_ROW(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13)
#define RIDGE_ZERO(i) __m512 l##i = _mm512_setzero_ps(), r##i = l##i;
#define RIDGE_RESCALED(i)                                             \
  {                                                                   \
    const __m512 by = _mm512_set1_ps(rescale[i]);                     \
    l##i = _mm512_mul_ps(by, _mm512_loadu_ps(c + i * c_stride));      \
    r##i = _mm512_mul_ps(by, _mm512_loadu_ps(c + i * c_stride + 16)); \
  }
#define RIDGE_STEP(i)                                       \
  {                                                         \
    const __m512 x = _mm512_set1_ps(a[i * kRowStride + p]); \
    l##i = _mm512_fmadd_ps(x, left, l##i);                  \
    r##i = _mm512_fmadd_ps(x, right, r##i);                 \
  }
#define RIDGE_STORE(i)                      \
  _mm512_storeu_ps(c + i * c_stride, l##i); \
  _mm512_storeu_ps(c + i * c_stride + 16, r##i);

void tile(const float* a, const float* b, float* c, int64_t c_stride, int64_t k,
          const float* rescale) {
  RIDGE_EACH_ROW(RIDGE_ZERO)
  if (rescale) {
    RIDGE_EACH_ROW(RIDGE_RESCALED)
  }
  for (int64_t p = 0; p < k; ++p) {
    const __m512 left = _mm512_loadu_ps(b + p * kPanel);
    const __m512 right = _mm512_loadu_ps(b + p * kPanel + 16);
    RIDGE_EACH_ROW(RIDGE_STEP)
  }
  RIDGE_EACH_ROW(RIDGE_STORE)
}

/// Lanes of the 16 keys from `j` on that a row of `keys` keys sees.
inline __mmask16 seen(int64_t keys, int64_t j) {
  return (__mmask16)(keys - j >= 16 ? 0xffff : keys <= j ? 0 : (1 << (keys - j)) - 1);
}

/// Of a row whose keys all count, and of one that is cut off: the largest score.
inline float largest_of(const float* row, int64_t keys, int64_t columns) {
  __m512 most = _mm512_set1_ps(-__builtin_inff());
  for (int64_t j = 0; j < columns; j += 16) {
    const __m512 x = _mm512_loadu_ps(row + j);
    most =
        keys >= columns ? _mm512_max_ps(most, x) : _mm512_mask_max_ps(most, seen(keys, j), most, x);
  }
  return _mm512_reduce_max_ps(most);
}

/// Scores become weights; their sums, lane by lane, are added to `total`.
inline __m512 weights_of(float* row, int64_t keys, int64_t columns, __m512 shift, __m512 total) {
  for (int64_t j = 0; j < columns; j += 16) {
    const __m512 x = _mm512_loadu_ps(row + j);
    __m512 p;
    if (keys >= columns) {
      p = exp2_of(_mm512_sub_ps(x, shift));
    } else {
      const __mmask16 mask = seen(keys, j);
      p = _mm512_maskz_mov_ps(mask, exp2_of(_mm512_maskz_sub_ps(mask, x, shift)));
    }
    total = _mm512_add_ps(total, p);
    _mm512_storeu_ps(row + j, p);
  }
  return total;
}

void softmax(float* s, const int64_t* keys, int64_t columns, float* largest, float* sum,
             float* rescale) {
  const __mmask16 rows = (1 << kStripRows) - 1;
  float in_block[16];
  for (int64_t i = 0; i < kStripRows; ++i) {
    in_block[i] = largest_of(s + i * kRowStride, keys[i], columns);
  }
  // All rows' factors at once. A row that has no key yet keeps its empty sum.
  const __m512 before = _mm512_maskz_loadu_ps(rows, largest);
  const __m512 now = _mm512_max_ps(before, _mm512_maskz_loadu_ps(rows, in_block));
  const __mmask16 grown = _mm512_cmp_ps_mask(before, now, _CMP_LT_OQ);
  const __m512 shrink = _mm512_max_ps(_mm512_sub_ps(before, now), _mm512_set1_ps(-150.0f));
  const __m512 factor = _mm512_mask_mov_ps(_mm512_set1_ps(1.0f), grown, exp2_of(shrink));
  _mm512_mask_storeu_ps(rescale, rows, factor);
  _mm512_mask_storeu_ps(largest, rows, now);
  for (int64_t i = 0; i < kStripRows; ++i) {
    const __m512 total = _mm512_mul_ps(_mm512_loadu_ps(sum + 16 * i), _mm512_set1_ps(rescale[i]));
    _mm512_storeu_ps(sum + 16 * i, weights_of(s + i * kRowStride, keys[i], columns,
                                              _mm512_set1_ps(largest[i]), total));
  }
}

}  // namespace

extern const AttentionKernel attention_avx512;
const AttentionKernel attention_avx512 = {tile, softmax};

namespace {

Status prepare_avx512(const Shape& shape, Plan* plan) {
  return attention_prepare_blocks(shape, 1, plan);
}

Status launch_avx512(const Launch& launch) {
  return attention_run_blocks(&attention_avx512, launch, 1);
}

RIDGE_KERNEL(attention, cpu, avx512, .prepare = prepare_avx512, .launch = launch_avx512);

}  // namespace
}  // namespace ridge
