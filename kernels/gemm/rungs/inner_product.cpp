// ridge: isa=avx512f flags=-O2,-fno-schedule-insns2,-Wno-maybe-uninitialized,-Wno-uninitialized
//
// Idea      Winograd's inner product: (a + b') (a' + b) holds two products, and what it holds besides
//           belongs to a row of A or a column of B alone. Additions take the place of multiply-adds.
// Changed   A tile of 12 x 32, and for three steps of k four multiply-adds and four additions instead of
//           six multiply-adds. A is transposed when it is packed, B packed before its first tile, and each
//           row and column of a block of k brought to a common size by a power of two, undone at the end.
// Limits    Both kinds of units. Where they are the same (Intel), additions cost what they save. An infinity
//           makes its row or column NaN.
// Accuracy  Row and column. A sum's error is below k u (max |a| + max |b|)^2, because (a + b') (a' + b) is rounded
//           as a whole. Both maxima are between 1 and 2 after scaling, so that is at most 16 k u max |a| max |b|
//           of the row and the column. A step of k where one is large and the other as small is lost. Higham,
//           Accuracy and Stability of Numerical Algorithms, chapter 23.
// Look at   More FLOP/s than the ceiling: the product's are counted, not what is done. And the error.
// Source    S. Winograd, A New Algorithm for Inner Product (1968), R. Brent (1970): the header that follows.
#include "kernels/runtime/cpu/inner_product_avx512.h"

#include "kernels/runtime/cpu/panels.h"
#include "kernels/runtime/cpu/transpose_avx512.h"

namespace ridge {

extern const PanelKernel gemm_panels_avx512;  // packed_avx512.cpp

namespace {

/// Steps of k in a block: a panel of B takes 64 KiB, which passes through the L1.
constexpr int64_t kInnerDepth = 1024;
/// A panel begins with two rows as wide as it is: minus the terms of the inner product, and exponents.
constexpr int64_t kTerms = 0, kExponents = 1, kHeadRows = 2;
/// Of zeros alone. So small that what rounding leaves of their sums is zero.
constexpr float kMinExponent = -1000;

inline __mmask16 first_lanes(int64_t lanes) {
  return (__mmask16)(lanes >= 16 ? 0xffff : lanes <= 0 ? 0 : (1 << lanes) - 1);
}

/// Without their signs floats are ordered as integers are, and NaN is the largest.
inline __m512i larger(__m512i size, __m512 x) {
  return _mm512_max_epu32(size, _mm512_castps_si512(_mm512_abs_ps(x)));
}

/// 16 columns of a panel `width` wide (a panel of A has rows for columns), packed as they are: brings the
/// largest of each, whose size is known, below 2, and writes the head. A column that is not all numbers
/// is packed as zeros: its exponent, NaN, makes it NaN in C, and not the one 16 beside it as well.
inline __attribute__((always_inline)) void scale_columns(float* panel, int64_t width,
                                                         __mmask16 inside, __m512i size,
                                                         int64_t depth) {
  const __m512 zero = _mm512_setzero_ps();
  const __m512 largest = _mm512_castsi512_ps(size), infinity = _mm512_set1_ps(__builtin_inff());
  const __mmask16 numbers = inside & _mm512_cmp_ps_mask(largest, infinity, _CMP_LT_OQ);
  const __m512 exponent = _mm512_mask_max_ps(_mm512_set1_ps(__builtin_nanf("")), numbers, _mm512_set1_ps(kMinExponent),
                                             _mm512_getexp_ps(largest));
  const __m512 scale = _mm512_sub_ps(zero, exponent);
  const int64_t third = depth / 3;
  float* x = panel + kHeadRows * width;
  __m512 term = zero;
  for (int64_t p = 0; p < third; ++p, x += width) {
    float *second = x + third * width, *plain = second + third * width;
    const __m512 a = _mm512_maskz_scalef_ps(numbers, _mm512_maskz_loadu_ps(inside, x), scale);
    const __m512 b = _mm512_maskz_scalef_ps(numbers, _mm512_maskz_loadu_ps(inside, second), scale);
    const __m512 c = _mm512_maskz_scalef_ps(numbers, _mm512_maskz_loadu_ps(inside, plain), scale);
    term = _mm512_fnmadd_ps(a, b, term);
    _mm512_mask_storeu_ps(x, inside, a);
    _mm512_mask_storeu_ps(second, inside, b);
    _mm512_mask_storeu_ps(plain, inside, c);
  }
  x += 2 * third * width;
  for (int64_t p = 3 * third; p < depth; ++p, x += width) {
    const __m512 c = _mm512_maskz_scalef_ps(numbers, _mm512_maskz_loadu_ps(inside, x), scale);
    _mm512_mask_storeu_ps(x, inside, c);
  }
  _mm512_mask_storeu_ps(panel + kTerms * width, inside, term);
  _mm512_mask_storeu_ps(panel + kExponents * width, inside, exponent);
}

/// Rows of A as columns of a panel: the tile then reads three streams of it, not 36.
void pack_inner_a(void* panel, const void* from, int64_t stride, int rows, int64_t depth) {
  const __mmask16 inside = first_lanes(kInnerRows);
  const float* a = (const float*)from;
  float* to = (float*)panel + kHeadRows * kInnerRows;
  __m512i size = _mm512_setzero_si512();
  for (int64_t p = 0; p < depth; p += 16, a += 16) {
    const __mmask16 some = first_lanes(depth - p);
    __m512i x[16];
#pragma GCC unroll 16
    for (int r = 0; r < 16; ++r)
      x[r] = _mm512_maskz_loadu_epi32(r < rows ? some : 0, a + r * stride);
    transpose(x);
#pragma GCC unroll 16
    for (int q = 0; q < 16; ++q) {
      size = larger(size, _mm512_castsi512_ps(x[q]));
      if (p + q < depth) _mm512_mask_storeu_epi32(to, inside, x[q]);
      to += kInnerRows;
    }
  }
  scale_columns((float*)panel, kInnerRows, inside, size, depth);
}

void pack_inner_b(const PanelTile* t) {
  const __mmask16 left = first_lanes(t->columns), right = first_lanes(t->columns - kInnerLanes);
  const float* b = (const float*)t->b;
  float *panel = (float*)t->packed, *first = panel + kHeadRows * kInnerColumns, *to = first;
  __m512i left_size = _mm512_setzero_si512(), right_size = left_size;
  for (int64_t p = 0; p < t->depth; ++p, b += t->stride, to += kInnerColumns) {
    const __m512 x = _mm512_maskz_loadu_ps(left, b);
    const __m512 y = _mm512_maskz_loadu_ps(right, b + kInnerLanes);
    // The next panel's part of this row, a page or more from the one before.
    _mm_prefetch((const char*)(b + kInnerColumns), _MM_HINT_T1);
    _mm_prefetch((const char*)(b + 2 * kInnerColumns - 1), _MM_HINT_T1);
    _mm512_store_ps(to, x);
    _mm512_store_ps(to + kInnerLanes, y);
    left_size = larger(left_size, x), right_size = larger(right_size, y);
  }
  scale_columns(panel, kInnerColumns, 0xffff, left_size, t->depth);
  scale_columns(panel + kInnerLanes, kInnerColumns, 0xffff, right_size, t->depth);
  for (float* x = first; x < first + t->depth / 3 * 2 * kInnerColumns; x += kInnerColumns) {
    const __m512 more = _mm512_sub_ps(_mm512_load_ps(x + kInnerLanes), _mm512_load_ps(x));
    _mm512_store_ps(x + kInnerLanes, more);
  }
}

/// 16 sums of a row back to the size of its A and B, and into C.
inline void store_acc(const PanelTile* t, float* c, __mmask16 inside, __m512 acc, __m512 exponents) {
  __m512 x = _mm512_scalef_ps(acc, exponents);
  if (!t->first) x = _mm512_add_ps(x, _mm512_maskz_loadu_ps(inside, c));
  _mm512_mask_storeu_ps(c, inside, x);
}

/// Always the whole tile: beyond the edges of C the panels hold zeros, and nothing is stored.
void inner_product_tile(const PanelTile* t) {
  const __mmask16 inside = first_lanes(t->columns), beyond = first_lanes(t->columns - kInnerLanes);
  const float *a = (const float*)t->a, *b = (const float*)t->packed;
  for (int i = 0; i < t->rows; ++i) {
    _mm_prefetch((const char*)(t->acc + i * t->acc_stride), _MM_HINT_T1);
    _mm_prefetch((const char*)(t->acc + i * t->acc_stride + kInnerLanes), _MM_HINT_T1);
  }
  const float* terms = b + kTerms * kInnerColumns;
  __m512 left[kInnerRows], right[kInnerRows];
#pragma GCC unroll 12
  for (int i = 0; i < kInnerRows; ++i) {
    const __m512 of_row = _mm512_set1_ps(a[kTerms * kInnerRows + i]);
    left[i] = _mm512_add_ps(of_row, _mm512_load_ps(terms));
    right[i] = _mm512_add_ps(of_row, _mm512_load_ps(terms + kInnerLanes));
  }
  inner_product(a + kHeadRows * kInnerRows, 1, kInnerRows, b + kHeadRows * kInnerColumns,
                kInnerColumns, t->depth, t->depth / 3, left, right);
  const float* exponents = b + kExponents * kInnerColumns;
#pragma GCC unroll 12
  for (int i = 0; i < kInnerRows; ++i) {
    if (i >= t->rows) continue;
    const __m512 of_row = _mm512_set1_ps(a[kExponents * kInnerRows + i]);
    float* c = t->acc + i * t->acc_stride;
    store_acc(t, c, inside, left[i], _mm512_add_ps(of_row, _mm512_load_ps(exponents)));
    store_acc(t, c + kInnerLanes, beyond, right[i], _mm512_add_ps(of_row, _mm512_load_ps(exponents + kInnerLanes)));
  }
}

constexpr PanelKernel kInnerPanels = {.rows = kInnerRows,
                                      .columns = kInnerColumns,
                                      .bytes = sizeof(float),
                                      .c_bytes = sizeof(float),
                                      .depth = kInnerDepth,
                                      .a_stride = kInnerDepth + kHeadRows,
                                      .tile = inner_product_tile,
                                      .pack_b = pack_inner_b,
                                      .b_head = kHeadRows * kInnerColumns * sizeof(float),
                                      .copy_a = pack_inner_a};

/// C that is smaller than a tile: most of what a whole one computes would lie beyond it.
const PanelKernel* inner_product_kernel(const Shape& shape) {
  const bool fills = shape.dim[kGemmM] >= kInnerRows && shape.dim[kGemmN] >= kInnerColumns;
  return fills ? &kInnerPanels : &gemm_panels_avx512;
}

Status prepare_inner_product(const Shape& shape, Plan* plan) {
  return panel_prepare(inner_product_kernel(shape), shape, panel_threads(shape), plan);
}

Status launch_inner_product(const Launch& launch) {
  return panel_launch(inner_product_kernel(launch.shape), launch);
}

RIDGE_KERNEL(gemm, cpu, inner_product, .accuracy = Accuracy::row_column, .prepare = prepare_inner_product,
             .launch = launch_inner_product);

}  // namespace
}  // namespace ridge
