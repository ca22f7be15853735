// A register tile of 12 x 32 sums where two thirds of the steps of k need half of the multiplications. Only
// for files with isa=avx512f; static only.
//
// Winograd's inner product: with two steps p and q of k,
//
//   (a_p + b_q) (a_q + b_p)  =  a_p b_p + a_q b_q  +  a_p a_q  +  b_p b_q
//
// The last two terms belong to a row of A or to a column of B alone: computed once, subtracted from all its
// sums. What is left is one multiply-add and two additions for two multiply-adds. Where additions have units of
// their own (Zen 4: a 512-bit multiply-add *and* an addition each cycle) a third of the steps stays as it is,
// so that both kinds of units have four operations for three steps and 32 sums, instead of six and none.
// Where they share units (Intel), it loses: 0.72 to 0.82 times the plain tile on a Xeon.
//
// Every element of A is broadcast by the instruction that needs it: a broadcast of its own takes a slot of
// the vector units (Zen 4: 57 cycles instead of 48 for 24 multiply-adds and 48 additions). The second vector
// of B is met without loading A again: a + right = (a + left) + (right - left), with the difference packed.
// That is one load for two operations. With one vector of B, and three loads for four, it was as fast in the
// calm, 1.45 times the plain tile, but fell to 1.2 whenever loads became slow on a virtual machine (another
// thread on the same core, it seems); this falls to 1.35.
//
// Its price is accuracy: sums carry a_p a_q + b_p b_q until these are subtracted. The error is that of numbers
// of the size of (a + b) squared, so rows and columns should be about equally large: inner_product_scale().
//
// Source: S. Winograd, A New Algorithm for Inner Product (IEEE Trans. Computers C-17, 1968); the scaling: R.
// Brent, Algorithms for Matrix Multiplication (Stanford CS-157, 1970); the differences: T. Pogue and N.
// Nicolici, Fast Inner-Product Algorithms and Architectures (arXiv:2311.12224).
#pragma once

#include <immintrin.h>
#include <stdint.h>

namespace ridge {

enum { kInnerRows = 12, kInnerLanes = 16, kInnerColumns = 2 * kInnerLanes };

/// sum + x[0] * y, and the broadcast is the multiply-add's own. (GCC makes a second instruction of it where x is
/// used twice.)
static inline __m512 inner_product_fma(const float* x, __m512 y, __m512 sum) {
  __asm__("vfmadd231ps %1%{1to16%}, %2, %0" : "+v"(sum) : "m"(*x), "v"(y));
  return sum;
}

/// left[i], right[i] += row i of A times the panel `b`, short of the two terms. A's element (i, p) is at
/// a[i * row + p * step]; row p of the panel at b + p * width: 16 columns, 16 more, and in its last 16 floats
/// how much these are more than the first. row, step and width are constants. Steps p and p + third are a
/// pair, for p < third <= k / 3; the others are multiplied as they are. A pair does not read the 16 in the
/// middle, so that a width of 32 is enough where `third` is always the same.
static inline __attribute__((always_inline)) void inner_product(
    const float* a, int64_t row, int64_t step, const float* b, int64_t width, int64_t k,
    int64_t third, __m512 left[kInnerRows], __m512 right[kInnerRows]) {
  const float *second_a = a + third * step, *plain_a = second_a + third * step;
  const float *second_b = b + third * width, *plain_b = second_b + third * width;
  const int64_t more = width - kInnerLanes;
  // Of pointers whose origin it sees GCC 12 makes one for each row, on the stack.
  __asm__("" : "+r"(second_a), "+r"(plain_a));
  for (int64_t p = 0; p < third; ++p) {
    const __m512 first = _mm512_loadu_ps(b + p * width);
    const __m512 first_more = _mm512_loadu_ps(b + p * width + more);
    const __m512 second = _mm512_loadu_ps(second_b + p * width);
    const __m512 second_more = _mm512_loadu_ps(second_b + p * width + more);
    const __m512 plain_left = _mm512_loadu_ps(plain_b + p * width);
    const __m512 plain_right = _mm512_loadu_ps(plain_b + p * width + kInnerLanes);
#pragma GCC unroll 12
    for (int i = 0; i < kInnerRows; ++i) {
      const int64_t at = i * row + p * step;
      __m512 u = _mm512_add_ps(_mm512_set1_ps(a[at]), second);
      __m512 v = _mm512_add_ps(_mm512_set1_ps(second_a[at]), first);
      left[i] = inner_product_fma(plain_a + at, plain_left, left[i]);
      right[i] = inner_product_fma(plain_a + at, plain_right, right[i]);
      left[i] = _mm512_fmadd_ps(u, v, left[i]);
      u = _mm512_add_ps(u, second_more);
      v = _mm512_add_ps(v, first_more);
      right[i] = _mm512_fmadd_ps(u, v, right[i]);
    }
  }
  for (int64_t p = 3 * third; p < k; ++p) {
    const __m512 plain_left = _mm512_loadu_ps(b + p * width);
    const __m512 plain_right = _mm512_loadu_ps(b + p * width + kInnerLanes);
#pragma GCC unroll 12
    for (int i = 0; i < kInnerRows; ++i) {
      left[i] = inner_product_fma(a + i * row + p * step, plain_left, left[i]);
      right[i] = inner_product_fma(a + i * row + p * step, plain_right, right[i]);
    }
  }
}

/// The power of two that brings numbers of the size `size` closest to 1: exact. 1 for zero, infinity and NaN.
static inline float inner_product_scale(float size) {
  if (!(size > 0x1p-100f && size < 0x1p100f)) return 1;
  return __builtin_ldexpf(1, -__builtin_ilogbf(size * 1.41421356f));
}

}  // namespace ridge
