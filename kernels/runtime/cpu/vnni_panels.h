// Panels of bytes for vpdpbusd, which multiplies bytes without a sign by bytes with one: A's are copied with
// 128 added, which is one flipped bit; a panel of B, packed four steps of k to a column, begins with -128 times
// what each column of it adds up to, where the sums start. ISA-flagged files include it: static only.
#pragma once

#include <immintrin.h>

#include "kernels/runtime/cpu/panels.h"
#include "kernels/runtime/cpu/transpose_avx512.h"

namespace ridge {
namespace {

enum { kRows = 14, kColumns = 32, kStep = 4, kDepth = 4096, kStride = kDepth + 64 };

/// The instruction itself: of the intrinsic GCC 12 stores every sum at every step, at half the rate.
inline void dot(__m512i* sum, __m512i unsigned_bytes, __m512i signed_bytes) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(*sum) : "v"(unsigned_bytes), "v"(signed_bytes));
}

/// Flips the highest bit: x + 128 as a byte without a sign. What lies behind the last meets zeros of B.
void copy_a(void* to, const void* from, int64_t stride, int rows, int64_t depth) {
  const __m512i flip = _mm512_set1_epi8((char)0x80);
  for (int i = 0; i < rows; ++i) {
    const char* a = (const char*)from + i * stride;
    char* row = (char*)to + i * kStride;
    for (int64_t p = 0; p < depth; p += 64) {
      const __mmask64 inside = depth - p >= 64 ? ~0ull : (1ull << (depth - p)) - 1;
      const __m512i x = _mm512_maskz_loadu_epi8(inside, a + p);
      _mm512_store_si512(row + p, _mm512_xor_si512(x, flip));
    }
  }
}

/// Half a panel, 16 columns: their words of four steps side by side; before them -128 times their sums.
void pack_half(const PanelTile* t, int half) {
  const __m512i ones = _mm512_set1_epi8(1);
  const int columns = t->columns - 16 * half;
  const int8_t* b = (const int8_t*)t->b + 16 * half * t->stride;
  __m512i* packed = (__m512i*)t->packed + half;
  __m512i sum = _mm512_setzero_si512();
  for (int64_t p = 0; p < t->depth; p += 64) {
    const int64_t left = t->depth - p;
    const __mmask64 inside = left >= 64 ? ~0ull : (1ull << left) - 1;
    __m512i x[16];
    for (int j = 0; j < 16; ++j)
      x[j] = _mm512_maskz_loadu_epi8(j < columns ? inside : 0, b + j * t->stride + p);
    transpose(x);
    for (int j = 0; j < 16 && kStep * j < left; ++j) {
      dot(&sum, ones, x[j]);
      _mm512_store_si512(packed + 2 * (1 + p / kStep + j), x[j]);
    }
  }
  _mm512_store_si512(packed, _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_slli_epi32(sum, 7)));
}

void pack_b(const PanelTile* t) {
  pack_half(t, 0);
  pack_half(t, 1);
}

}  // namespace
}  // namespace ridge
