// ridge: isa=avx512bitalg flags=-O3,-Wno-maybe-uninitialized
//
// vpdpbusd: 64 products of a byte and a signed byte, added four by four to 16 sums. Nothing saturates.
#include <immintrin.h>

#include "kernels/quantnet/tile.h"

namespace ridge {

static inline __m512i four_bytes(const uint8_t* from) {
  int32_t word;
  __builtin_memcpy(&word, from, sizeof(word));
  return _mm512_set1_epi32(word);
}

/// The instruction itself: of the intrinsic GCC 12 stores every sum at every step (kernels/mlp/rungs/vnni.cpp).
static inline void dot(__m512i* sum, __m512i x, __m512i w) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(*sum) : "v"(x), "v"(w));
}

static inline void finish(const IntegerTile* tile, int row, __m512 x) {
  const __mmask16 mask = (__mmask16)((1u << tile->outs) - 1);
  if (tile->bytes[row] == nullptr) {
    _mm512_mask_storeu_ps(tile->scores[row], mask, x);
    return;
  }
  const __m512 low = _mm512_max_ps(x, _mm512_setzero_ps());
  const __m512i byte = _mm512_cvtps_epi32(_mm512_min_ps(low, _mm512_set1_ps(tile->most)));
  _mm_mask_storeu_epi8(tile->bytes[row], mask, _mm512_cvtepi32_epi8(byte));
}

#define RIDGE_EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define RIDGE_ROW_ADD(r) __m512 x##r = add;
#define RIDGE_ROW_START(r) __m512i sum##r = start;
#define RIDGE_ROW_STEP(r) dot(&sum##r, four_bytes(tile->rows[r] + at), w);
#define RIDGE_ROW_SCALE(r) x##r = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum##r), scale, x##r);
#define RIDGE_ROW_END(r) finish(tile, r, x##r);

void integer_tile_vnni(const IntegerTile* tile) {
  const __m512 add = _mm512_loadu_ps(tile->add);
  RIDGE_EACH_ROW(RIDGE_ROW_ADD)
  const int8_t* weights = tile->weights;
  for (int first = 0, g = 0; first < tile->steps; first += tile->group, ++g) {
    const int last = first + tile->group < tile->steps ? first + tile->group : tile->steps;
    const __m512i start = _mm512_loadu_si512(tile->start + g * kTileOuts);
    RIDGE_EACH_ROW(RIDGE_ROW_START)
    for (int s = first; s < last; ++s, weights += 64) {
      const __m512i w = _mm512_loadu_si512(weights);
      const int64_t at = tile->offsets[s];
      RIDGE_EACH_ROW(RIDGE_ROW_STEP)
    }
    const __m512 scale = _mm512_loadu_ps(tile->scale + g * kTileOuts);
    RIDGE_EACH_ROW(RIDGE_ROW_SCALE)
  }
  RIDGE_EACH_ROW(RIDGE_ROW_END)
}

}  // namespace ridge
