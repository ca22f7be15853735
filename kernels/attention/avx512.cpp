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

/// 2^x for x <= 0; 0 from -150 on.
inline __m512 exp2_of(__m512 x) {
  x = _mm512_max_ps(x, _mm512_set1_ps(-150.0f));
  const __m512 whole = _mm512_roundscale_ps(x, 0);
  const __m512 r = _mm512_sub_ps(x, whole);
  __m512 y = _mm512_set1_ps(0.0013276472f);
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.00967554133f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.0555071327f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.240221197f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(0.693146967f));
  y = _mm512_fmadd_ps(y, r, _mm512_set1_ps(1.00000007f));
  return _mm512_scalef_ps(y, whole);
}

/// Lanes of the 16 keys from `j` on that a row of `keys` keys sees.
inline __mmask16 seen(int64_t keys, int64_t j) {
  return (__mmask16)(keys - j >= 16 ? 0xffff : keys <= j ? 0 : (1 << (keys - j)) - 1);
}

void softmax(float* s, const int64_t* keys, int64_t columns, float* largest, float* sum,
             float* rescale) {
  const __m512 never = _mm512_set1_ps(-__builtin_inff());
  for (int64_t i = 0; i < kStripRows; ++i) {
    float* row = s + i * kRowStride;
    __m512 most = never, total = _mm512_setzero_ps();
    for (int64_t j = 0; j < columns; j += 16) {
      most = _mm512_mask_max_ps(most, seen(keys[i], j), most, _mm512_loadu_ps(row + j));
    }
    const float in_block = _mm512_reduce_max_ps(most);
    const float before = largest[i], now = in_block > before ? in_block : before;
    const __m512 shift = _mm512_set1_ps(now);
    for (int64_t j = 0; j < columns; j += 16) {
      const __mmask16 mask = seen(keys[i], j);
      const __m512 x = _mm512_maskz_sub_ps(mask, _mm512_loadu_ps(row + j), shift);
      const __m512 p = _mm512_maskz_mov_ps(mask, exp2_of(x));
      total = _mm512_add_ps(total, p);
      _mm512_storeu_ps(row + j, p);
    }
    // A row that has no key yet keeps its empty sum.
    const __m512 shrink = _mm512_set1_ps(before == now ? 0.0f : before - now);
    rescale[i] = _mm512_cvtss_f32(exp2_of(shrink));
    largest[i] = now;
    sum[i] = sum[i] * rescale[i] + _mm512_reduce_add_ps(total);
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
