// A register tile of 24 x 16 sums where two thirds of the steps of k need half of the multiplications. Only for
// files with isa=avx512f; static only.
//
// Winograd's inner product: with two steps p and q of k,
//
//   (a_p + b_q) (a_q + b_p)  =  a_p b_p + a_q b_q  +  a_p a_q  +  b_p b_q
//
// The last two terms belong to a row of A or to a column of B alone: computed once, subtracted from all its sums.
// What is left is one multiply-add and two additions for two multiply-adds. Where additions have units of their
// own (Zen 4: a 512-bit multiply-add *and* an addition each cycle) a third of the steps stays as it is, so that
// both kinds of units have four operations for three steps and 16 sums, instead of six and none.
// Where they share units (Intel), it loses.
//
// Every element of A is broadcast by the instruction that needs it: a broadcast of its own would take a slot
// of the vector units (Zen 4: 57 cycles instead of 48 for 24 multiply-adds and 48 additions). So the tile is one
// vector wide, and 24 sums, three of B and two of temporaries fit into 32 registers.
//
// Its price is accuracy: sums carry a_p a_q + b_p b_q until these are subtracted. The error is that of numbers of
// the size of (a + b) squared, so rows and columns should be about equally large: inner_product_scale().
//
// Source: S. Winograd, A New Algorithm for Inner Product (IEEE Trans. Computers C-17, 1968); the scaling: R. Brent,
// Algorithms for Matrix Multiplication (Stanford CS-157, 1970).
#pragma once

#include <immintrin.h>
#include <stdint.h>

namespace ridge {

enum { kInnerRows = 24, kInnerColumns = 16 };

/// sum[i] += row i of A times the panel `b` (k x 16), short of the two terms: A's element (i, p) is at
/// a[i * row + p * step], both constants. Steps p and p + third are a pair, for p < third; the others are
/// multiplied as they are. third <= k / 3; 0 leaves plain multiply-adds, and no terms.
static inline __attribute__((always_inline)) void inner_product(const float* a, int64_t row,
                                                                int64_t step, const float* b,
                                                                int64_t k, int64_t third,
                                                                __m512 sum[kInnerRows]) {
  const int64_t next = third * kInnerColumns;
  for (int64_t p = 0; p < third; ++p) {
    const float *x = a + p * step, *y = b + p * kInnerColumns;
    const __m512 first = _mm512_loadu_ps(y), second = _mm512_loadu_ps(y + next);
    const __m512 plain = _mm512_loadu_ps(y + 2 * next);
#pragma GCC unroll 24
    for (int i = 0; i < kInnerRows; ++i) {
      const __m512 left = _mm512_add_ps(_mm512_set1_ps(x[i * row]), second);
      const __m512 right = _mm512_add_ps(_mm512_set1_ps(x[i * row + third * step]), first);
      sum[i] = _mm512_fmadd_ps(_mm512_set1_ps(x[i * row + 2 * third * step]), plain, sum[i]);
      sum[i] = _mm512_fmadd_ps(left, right, sum[i]);
    }
  }
  for (int64_t p = 3 * third; p < k; ++p) {
    const __m512 plain = _mm512_loadu_ps(b + p * kInnerColumns);
#pragma GCC unroll 24
    for (int i = 0; i < kInnerRows; ++i) {
      sum[i] = _mm512_fmadd_ps(_mm512_set1_ps(a[i * row + p * step]), plain, sum[i]);
    }
  }
}

/// The term of each of a panel's 16 columns: the sum of b_p b_q over its pairs.
static inline __m512 inner_product_columns(const float* b, int64_t third) {
  __m512 term = _mm512_setzero_ps();
  for (int64_t p = 0; p < third; ++p) {
    term = _mm512_fmadd_ps(_mm512_loadu_ps(b + p * kInnerColumns),
                           _mm512_loadu_ps(b + (p + third) * kInnerColumns), term);
  }
  return term;
}

}  // namespace ridge
