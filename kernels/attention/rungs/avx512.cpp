// ridge: isa=avx512f flags=-O3,-Wno-uninitialized,-Wno-maybe-uninitialized
//
// Idea      Both products as matrix products should be: 14 x 32 accumulators in registers, operands in packed
//           panels. The exponentials 16 at a time: 2^x is an exponent, put in place by one instruction, and
//           a polynomial of degree 5 on [0, 1).
// Changed   14 queries share each key and value that is loaded. log2(e) / sqrt(d) is multiplied into Q
//           beforehand, and the sums of a score begin at -shift, so that an exponential is nine instructions
//           for 16 lanes. The shift is the largest score of some block before; the row is searched for a
//           larger one, and O rescaled, only when the weights' sums have become large.
//           K and V are fetched 24 steps ahead, which pays where they come from the L3.
// Limits    The FMA units for most of the time; beside them reading K and V for every strip of queries. What is left
//           is small: the exponentials (four of nine instructions are additions), packing, Q and O.
// Look at   Head size 64 against 128: the same number of exponentials for half the arithmetic.
// Source    Register tile: Goto and van de Geijn (TOMS 2008). Polynomial: Remez's algorithm, relative error
//           1.5e-7. Online softmax: Dao et al., arXiv:2205.14135. To rescale rarely: FlashAttention-4 (2025).
#include <immintrin.h>

#include "kernels/attention/rungs/blocks.h"
#include "kernels/attention/rungs/transpose_avx512.h"
#include "kernels/attention/rungs/weights_avx512.h"

namespace ridge {
namespace {

constexpr int64_t kStripRows = 14, kPanel = 32, kKeyBlock = 256;
/// While no 16th of a row's weights of a block adds up to more than this, the shift stays.
constexpr float kMaxWeight = 1024;

/// Rows of the panel from the one in use to the one fetched: 28 cycles each, so that the L3 has 180 ns.
constexpr int64_t kAhead = 24;

/// A tile of sums: 28 of 32 registers. The loops over its rows are unrolled, so that every index is a constant.
struct Tile {
  __m512 left[kStripRows], right[kStripRows];
};

/// tile += a * b: k numbers of each row of `a` times the k rows of the panel `b`.
inline __attribute__((always_inline)) void multiply(const float* a, const float* b, int64_t k,
                                                    Tile* tile) {
  for (int64_t p = 0; p < k; ++p) {
    const __m512 left = _mm512_loadu_ps(b + p * kPanel);
    const __m512 right = _mm512_loadu_ps(b + p * kPanel + 16);
    _mm_prefetch(b + (p + kAhead) * kPanel, _MM_HINT_T0);
    _mm_prefetch(b + (p + kAhead) * kPanel + 16, _MM_HINT_T0);
#pragma GCC unroll 14
    for (int i = 0; i < kStripRows; ++i) {
      const __m512 x = _mm512_set1_ps(a[i * kRowStride + p]);
      tile->left[i] = _mm512_fmadd_ps(x, left, tile->left[i]);
      tile->right[i] = _mm512_fmadd_ps(x, right, tile->right[i]);
    }
  }
}

inline __attribute__((always_inline)) void store(const Tile& tile, float* c) {
#pragma GCC unroll 14
  for (int i = 0; i < kStripRows; ++i) {
    _mm512_storeu_ps(c + i * kRowStride, tile.left[i]);
    _mm512_storeu_ps(c + i * kRowStride + 16, tile.right[i]);
  }
}

void scores(const AttentionStrip* strip, const float* b) {
  float* c = strip->s;
  for (float* end = c + strip->columns; c < end; c += kPanel, b += strip->d * kPanel) {
    Tile tile;
#pragma GCC unroll 14
    for (int i = 0; i < kStripRows; ++i)
      tile.left[i] = tile.right[i] = _mm512_set1_ps(-strip->shift[i]);
    multiply(strip->q, b, strip->d, &tile);
    store(tile, c);
  }
}

void values(const AttentionStrip* strip, const float* b) {
  const __mmask16 before = strip->first ? 0 : 0xffff;
  float* c = strip->o;
  for (float* end = c + strip->d; c < end; c += kPanel, b += kKeyBlock * kPanel) {
    Tile tile;
#pragma GCC unroll 14
    for (int i = 0; i < kStripRows; ++i) {
      tile.left[i] = _mm512_maskz_loadu_ps(before, c + i * kRowStride);
      tile.right[i] = _mm512_maskz_loadu_ps(before, c + i * kRowStride + 16);
    }
    multiply(strip->s, b, strip->columns, &tile);
    store(tile, c);
  }
}

bool weights(const AttentionStrip* strip) {
  return weights_of_strip(strip, kStripRows, kMaxWeight, true);
}

void raise_shift(const AttentionStrip* strip, float* rescale) {
  for (int64_t i = 0; i < kStripRows; ++i) {
    float *s = strip->s + i * kRowStride, *sum = strip->sum + 16 * i;
    const float row_max = row_max_of(s, strip->keys[i], strip->columns);
    const float by = strip->first || row_max > 0 ? row_max : 0;
    for (int64_t j = 0; j < strip->columns; j += 16) {
      _mm512_storeu_ps(s + j, _mm512_sub_ps(_mm512_loadu_ps(s + j), _mm512_set1_ps(by)));
    }
    strip->shift[i] += by;
    const __m512 factor = strip->first ? _mm512_setzero_ps() : exp2_of(_mm512_set1_ps(-by));
    rescale[i] = _mm512_cvtss_f32(factor);
    _mm512_storeu_ps(sum, _mm512_mul_ps(_mm512_loadu_ps(sum), factor));
  }
}

}  // namespace

extern const AttentionKernel attention_avx512;
const AttentionKernel attention_avx512 = {.rows = kStripRows,
                                          .query_block = 8 * kStripRows,
                                          .panel = kPanel,
                                          .width = kPanel,
                                          .key_block = kKeyBlock,
                                          .transpose = transpose_16,
                                          .scores = scores,
                                          .weights = weights,
                                          .raise = raise_shift,
                                          .values = values};

namespace {

Status prepare_avx512(const Shape& shape, Plan* plan) {
  return attention_prepare_blocks(&attention_avx512, shape, 1, plan);
}

Status launch_avx512(const Launch& launch) {
  return attention_run_blocks(&attention_avx512, launch, 1);
}

RIDGE_KERNEL(attention, cpu, avx512, .prepare = prepare_avx512, .launch = launch_avx512);

}  // namespace
}  // namespace ridge
