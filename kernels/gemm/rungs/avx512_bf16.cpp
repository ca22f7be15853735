// ridge: isa=avx512bf16 flags=-O2
//
// Idea      vdpbf16ps multiplies 32 pairs of bf16 and adds them, two by two, to 16 sums in fp32.
// Changed   Elements are half as wide and a step of k takes two of them. Two rows of B are interleaved
//           while they are copied, so that a column's pair lies in one lane. Between blocks of k the
//           sums stay in fp32, and are rounded once, to nearest even, when the last is done.
// Limits    The dot-product units. Small products: copying, with half the arithmetic to hide it.
// Look at   Speed beside error: twice fp32's rate where vdpbf16ps starts as often as an FMA, less than
//           fp32's on the Xeon that we recorded, and an error that the output's 8 bits alone account for.
// Source    Intel 64 and IA-32 Architectures Software Developer's Manual, VDPBF16PS.
#include <immintrin.h>

#include "kernels/runtime/cpu/panels.h"

namespace ridge {
namespace {

enum { kRows = 14, kColumns = 32, kDepth = 2048, kStride = kDepth + 32 };

inline __mmask16 lanes_inside(int lanes) {
  return (__mmask16)(lanes >= 16 ? 0xffff : lanes <= 0 ? 0 : (1 << lanes) - 1);
}

/// A row of the tile: to the fp32 sums between blocks of k, rounded to bf16 after the last.
inline __attribute__((always_inline)) void store_row(const PanelTile* t, int i, __mmask16 low,
                                                     __mmask16 high, __m512 l, __m512 r) {
  float* sum = t->acc + i * t->acc_stride;
  uint16_t* c = (uint16_t*)t->c + i * t->stride;
  if (!t->first) {
    l = _mm512_add_ps(l, _mm512_maskz_loadu_ps(low, sum));
    r = _mm512_add_ps(r, _mm512_maskz_loadu_ps(high, sum + 16));
  }
  if (t->last) {
    _mm256_mask_storeu_epi16(c, low, (__m256i)_mm512_cvtneps_pbh(l));
    _mm256_mask_storeu_epi16(c + 16, high, (__m256i)_mm512_cvtneps_pbh(r));
  } else {
    _mm512_mask_storeu_ps(sum, low, l);
    _mm512_mask_storeu_ps(sum + 16, high, r);
  }
}

/// Of fewer rows than a tile has, one function for both sources: the tile says which. That is an edge, and each further
/// function is time that a learner waits for the compiler.
template <int rows, PanelSource source>
__attribute__((noinline)) void multiply(const PanelTile* t) {
  const bool is_packed =
      rows == kRows ? source == PanelSource::packed : t->source == PanelSource::packed;
  const __mmask16 low = lanes_inside(t->columns), high = lanes_inside(t->columns - 16);
  const __mmask32 inside = (__mmask32)high << 16 | low;
  // Interleaves two rows of B: the columns' pairs stand side by side as the instruction wants them.
  const __m512i count = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i first =
      _mm512_or_si512(count, _mm512_slli_epi32(_mm512_add_epi32(count, _mm512_set1_epi32(32)), 16));
  const __m512i second = _mm512_add_epi16(first, _mm512_set1_epi16(16));
  const uint16_t *a = (const uint16_t*)t->a, *b = (const uint16_t*)t->b;
  uint16_t* packed = (uint16_t*)t->packed;
  __m512 acc[2][rows] = {};
#pragma GCC unroll 4
  for (int64_t p = 0; p < t->depth; p += 2, a += 2, packed += 2 * kColumns) {
    __m512i left, right;
    if (is_packed) {
      left = _mm512_load_si512(packed), right = _mm512_load_si512(packed + kColumns);
    } else {
      const __m512i even = _mm512_maskz_loadu_epi16(inside, b);
      const __m512i odd = _mm512_maskz_loadu_epi16(p + 1 < t->depth ? inside : 0, b + t->stride);
      _mm_prefetch((const char*)(b + kColumns), _MM_HINT_T1);
      _mm_prefetch((const char*)(b + 2 * kColumns - 1), _MM_HINT_T1);
      _mm_prefetch((const char*)(b + t->stride + kColumns), _MM_HINT_T1);
      _mm_prefetch((const char*)(b + t->stride + 2 * kColumns - 1), _MM_HINT_T1);
      left = _mm512_permutex2var_epi16(even, first, odd);
      right = _mm512_permutex2var_epi16(even, second, odd);
      b += 2 * t->stride;
    }
    if (source == PanelSource::copy) {
      _mm512_store_si512(packed, left);
      _mm512_store_si512(packed + kColumns, right);
    }
#pragma GCC unroll 14
    for (int i = 0; i < rows; ++i) {
      int32_t pair;
      __builtin_memcpy(&pair, a + i * kStride, sizeof(pair));
      const __m512bh s = (__m512bh)_mm512_set1_epi32(pair);
      acc[0][i] = _mm512_dpbf16_ps(acc[0][i], s, (__m512bh)left);
      acc[1][i] = _mm512_dpbf16_ps(acc[1][i], s, (__m512bh)right);
    }
  }
#pragma GCC unroll 14
  for (int i = 0; i < rows; ++i) store_row(t, i, low, high, acc[0][i], acc[1][i]);
}

template <int rows>
void tile_of(const PanelTile* t) {
  if (t->rows < rows) {
    if constexpr (rows > 1) tile_of<rows - 1>(t);
    return;
  }
  t->source == PanelSource::direct ? multiply<rows, PanelSource::direct>(t)
                                   : multiply<rows, PanelSource::packed>(t);
}

void tile(const PanelTile* t) {
  // Copied are only panels that meet further rows, and so have met a whole panel of A.
  if (t->source == PanelSource::copy) return multiply<kRows, PanelSource::copy>(t);
  tile_of<kRows>(t);
}

constexpr PanelKernel kPanels = {.rows = kRows,
                                 .columns = kColumns,
                                 .bytes = 2,
                                 .c_bytes = 2,
                                 .depth = kDepth,
                                 .a_stride = kStride,
                                 .tile = tile};

Status prepare(const Shape& shape, Plan* plan) {
  return panel_prepare(&kPanels, shape, panel_threads(shape), plan);
}

Status launch(const Launch& launch) {
  return panel_launch(&kPanels, launch);
}

RIDGE_KERNEL(gemm, cpu, avx512_bf16, .dtypes = "bf16", .prepare = prepare, .launch = launch);

}  // namespace
}  // namespace ridge
