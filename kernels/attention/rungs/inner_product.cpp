// ridge: isa=avx512f flags=-O3,-fno-schedule-insns2,-Wno-maybe-uninitialized,-Wno-uninitialized
//
// Idea      Both products with fewer multiplications than they have: where an addition has a unit of its own,
//           two thirds of the steps need half of them (Winograd's inner product).
// Changed   The tile: 12 queries x 32 keys. Keys, values and each query are brought to one size by powers of
//           two, so that the sums' larger error stays small beside them; the shift is subtracted, and the
//           size given back, when a score becomes a weight.
// Limits    The units for additions and those for multiply-adds, equally loaded. Where one kind of unit does both
//           (Intel), the rung is slower than threads. An infinity or NaN among
//           keys or values makes outputs beside it NaN that need not be.
// Look at   The error, beside threads'; the share of the peak: multiply-adds alone could not pass 100 %.
// Accuracy  Max norm, as the pairs of the GEMM lab's inner_product are rounded: keys and values are brought to one
//           size for a whole head, so that a small one's error is relative to the largest of the head.
// Source    kernels/runtime/cpu/inner_product_avx512.h. The rest as in avx512 and threads.
#include <immintrin.h>

#include "kernels/attention/rungs/blocks.h"
#include "kernels/attention/rungs/transpose_avx512.h"
#include "kernels/attention/rungs/weights_avx512.h"
#include "kernels/runtime/cpu/inner_product_avx512.h"

namespace ridge {
namespace {

constexpr int64_t kThirdOfKeys = 64, kBlock = 3 * kThirdOfKeys;
/// A row of a packed panel: 32 floats, and by how much the second 16 are more than the first.
constexpr int64_t kWidth = kInnerColumns + kInnerLanes;
/// A sum of `length` products is made of sums of equally many steps, kBlock at most: roundings of a sum that
/// grows to 50, as the largest scores' do, add up. (Head sizes above 192: two; those are multiples of 8.)
inline int64_t steps_of(int64_t length) {
  return length / ((length + kBlock - 1) / kBlock);
}

/// 2 to this is the largest weight of a block where the shift is set. Most are far smaller, and should be as
/// large as values are: 1.
constexpr float kHeadroom = 2;
/// As in avx512, but lower: weights are multiplied by each other, and what is left of that is an error.
constexpr float kMaxWeight = 64;
static_assert(kBlock / 16 * 4 <= int64_t(kMaxWeight), "equal weights, 4 each, are not too large");
/// Where one value has nearly all the weight, the others' share of the error is too much beside it: until a
/// row's weights have added up to this, they are multiplied as they are.
constexpr float kEnoughWeight = 2 * kMaxWeight;

/// Brings the root of the mean of squares closest to 1.
float unit(const float* from, int64_t count) {
  __m512 squares = _mm512_setzero_ps();
  for (int64_t i = 0; i < count; i += 16) {
    const __m512 x = _mm512_maskz_loadu_ps(seen(count, i), from + i);
    squares = _mm512_fmadd_ps(x, x, squares);
  }
  return inner_product_scale(__builtin_sqrtf(_mm512_reduce_add_ps(squares) / (float)count));
}

/// The last row holds the terms of the panel's 32 columns.
void complete(float* panel, int64_t length, float unit) {
  const __m512 by = _mm512_set1_ps(unit);
  const int64_t steps = steps_of(length);
  float* end = panel + length * kWidth;
  for (float* x = panel; x < end; x += kWidth) {
    const __m512 left = _mm512_mul_ps(by, _mm512_loadu_ps(x));
    const __m512 right = _mm512_mul_ps(by, _mm512_loadu_ps(x + kInnerLanes));
    _mm512_storeu_ps(x, left);
    _mm512_storeu_ps(x + kInnerLanes, right);
    _mm512_storeu_ps(x + kInnerColumns, _mm512_sub_ps(right, left));
  }
  for (int64_t half = 0; half < kInnerColumns; half += kInnerLanes) {
    __m512 term = _mm512_setzero_ps();
    for (int64_t begin = 0; begin < length; begin += steps) {
      for (int64_t p = begin; p < begin + steps / 3; ++p) {
        const float* x = panel + p * kWidth + half;
        term = _mm512_fmadd_ps(_mm512_loadu_ps(x), _mm512_loadu_ps(x + steps / 3 * kWidth), term);
      }
    }
    _mm512_storeu_ps(end + half, term);
  }
}

void complete_query(float* q, int64_t d, float unit_of_keys, float* term, float* scale) {
  const float by = unit(q, d);
  const int64_t steps = steps_of(d);
  double sum = 0;
  for (int64_t e = 0; e < d; ++e) q[e] *= by;
  for (int64_t begin = 0; begin < d; begin += steps) {
    for (int64_t e = begin; e < begin + steps / 3; ++e) sum += (double)q[e] * q[e + steps / 3];
  }
  *term = (float)sum;
  *scale = 1 / by / unit_of_keys;
}

inline __attribute__((always_inline)) void add_tile(const float* from, __m512 left[kInnerRows],
                                                    __m512 right[kInnerRows]) {
#pragma GCC unroll 12
  for (int i = 0; i < kInnerRows; ++i) {
    left[i] = _mm512_add_ps(left[i], _mm512_loadu_ps(from + i * kRowStride));
    right[i] = _mm512_add_ps(right[i], _mm512_loadu_ps(from + i * kRowStride + kInnerLanes));
  }
}

inline __attribute__((always_inline)) void store_tile(float* to, const __m512 left[kInnerRows],
                                                      const __m512 right[kInnerRows]) {
#pragma GCC unroll 12
  for (int i = 0; i < kInnerRows; ++i) {
    _mm512_storeu_ps(to + i * kRowStride, left[i]);
    _mm512_storeu_ps(to + i * kRowStride + kInnerLanes, right[i]);
  }
}

void scores(const AttentionStrip* strip, const float* k) {
  const int64_t d = strip->d, steps = steps_of(d);
  for (int64_t j = 0; j < strip->columns; j += kInnerColumns, k += (d + 1) * kWidth) {
    float* s = strip->s + j;
    for (int64_t begin = 0; begin < d; begin += steps) {
      const __mmask16 first = begin == 0 ? 0xffff : 0;
      const __m512 left_term = _mm512_maskz_loadu_ps(first, k + d * kWidth);
      const __m512 right_term = _mm512_maskz_loadu_ps(first, k + d * kWidth + kInnerLanes);
      __m512 left[kInnerRows], right[kInnerRows];
#pragma GCC unroll 12
      for (int i = 0; i < kInnerRows; ++i) {
        const __m512 of_row = _mm512_maskz_mov_ps(first, _mm512_set1_ps(-strip->term[i]));
        left[i] = _mm512_sub_ps(of_row, left_term), right[i] = _mm512_sub_ps(of_row, right_term);
      }
      inner_product(strip->q + begin, kRowStride, 1, k + begin * kWidth, kWidth, steps, steps / 3,
                    left, right);
      if (!first) add_tile(s, left, right);
      store_tile(s, left, right);
    }
  }
}

bool is_spread(const AttentionStrip* strip) {
  for (int i = 0; i < kInnerRows; ++i) {
    if (!(_mm512_reduce_add_ps(_mm512_loadu_ps(strip->sum + 16 * i)) >= kEnoughWeight))
      return false;
  }
  return true;
}

void values(const AttentionStrip* strip, const float* v) {
  const int64_t third = strip->columns == kBlock && is_spread(strip) ? kThirdOfKeys : 0;
  const __mmask16 whole = third ? 0xffff : 0, before = strip->first ? 0 : 0xffff;
  float term[kInnerRows];
  for (int i = 0; i < kInnerRows; ++i) {
    const float* p = strip->s + i * kRowStride;
    __m512 sum = _mm512_setzero_ps();
    for (int64_t j = 0; j < third; j += 16) {
      sum = _mm512_fmadd_ps(_mm512_loadu_ps(p + j), _mm512_loadu_ps(p + j + third), sum);
    }
    term[i] = third ? _mm512_reduce_add_ps(sum) : 0;
  }
  for (int64_t e = 0; e < strip->d; e += kInnerColumns, v += (kBlock + 1) * kWidth) {
    const __m512 left_term = _mm512_maskz_loadu_ps(whole, v + kBlock * kWidth);
    const __m512 right_term = _mm512_maskz_loadu_ps(whole, v + kBlock * kWidth + kInnerLanes);
    __m512 left[kInnerRows], right[kInnerRows];
    float* o = strip->o + e;
#pragma GCC unroll 12
    for (int i = 0; i < kInnerRows; ++i) {
      const __m512 of_row = _mm512_set1_ps(term[i]);
      const float* from = o + i * kRowStride;
      left[i] =
          _mm512_sub_ps(_mm512_maskz_loadu_ps(before, from), _mm512_add_ps(of_row, left_term));
      right[i] = _mm512_sub_ps(_mm512_maskz_loadu_ps(before, from + kInnerLanes),
                               _mm512_add_ps(of_row, right_term));
    }
    inner_product(strip->s, kRowStride, 1, v, kWidth, strip->columns, third, left, right);
    store_tile(o, left, right);
  }
}

bool weights(const AttentionStrip* strip) {
  return weights_of_strip(strip, kInnerRows, kMaxWeight, false);
}

void raise_shift(const AttentionStrip* strip, float* rescale) {
  for (int64_t i = 0; i < kInnerRows; ++i) {
    float *sum = strip->sum + 16 * i, *shift = strip->shift + i;
    const float row_max =
        row_max_of(strip->s + i * kRowStride, strip->keys[i], strip->columns) * strip->scale[i] - kHeadroom;
    const float before = *shift;
    if (strip->first || row_max > before) *shift = row_max;
    const __m512 factor =
        strip->first ? _mm512_setzero_ps() : exp2_of(_mm512_set1_ps(before - *shift));
    rescale[i] = _mm512_cvtss_f32(factor);
    _mm512_storeu_ps(sum, _mm512_mul_ps(_mm512_loadu_ps(sum), factor));
  }
}

constexpr AttentionKernel kInnerProduct = {.rows = kInnerRows,
                                           .query_block = 10 * kInnerRows,
                                           .panel = kInnerColumns,
                                           .width = kWidth,
                                           .key_block = kBlock,
                                           .extra = 1,
                                           .transpose = transpose_16,
                                           .unit = unit,
                                           .complete = complete,
                                           .complete_query = complete_query,
                                           .scores = scores,
                                           .weights = weights,
                                           .raise = raise_shift,
                                           .values = values};

Status prepare_inner(const Shape& shape, Plan* plan) {
  return attention_prepare_blocks(&kInnerProduct, shape, shape.threads, plan);
}

Status launch_inner(const Launch& launch) {
  return attention_run_blocks(&kInnerProduct, launch, launch.shape.threads);
}

RIDGE_KERNEL(attention, cpu, inner_product, .accuracy = Accuracy::max_norm, .prepare = prepare_inner,
             .launch = launch_inner);

}  // namespace
}  // namespace ridge
