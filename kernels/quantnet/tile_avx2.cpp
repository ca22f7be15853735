// ridge: isa=avx2 flags=-O3
//
// vpmaddwd of bytes widened to 16 bits: exact, where vpmaddubsw would saturate at 32767 (255 x 127 x 2 is 64770).
#include <immintrin.h>

#include "kernels/quantnet/tile.h"

namespace ridge {

/// Four bytes, four times, as 16 bits: for four outputs at once.
static inline __m256i four_bytes(const uint8_t* from) {
  int32_t word;
  __builtin_memcpy(&word, from, sizeof(word));
  return _mm256_cvtepu8_epi16(_mm_set1_epi32(word));
}

/// Sums of eight outputs from two vectors of four outputs' halves.
static inline __m256i halves(__m256i a, __m256i b) {
  return _mm256_permute4x64_epi64(_mm256_hadd_epi32(a, b), 0xd8);
}

static inline void finish(const IntegerTile* tile, int row, __m256 a, __m256 b) {
  alignas(32) float x[kTileOuts];
  if (tile->bytes[row] != nullptr) {
    const __m256 least = _mm256_setzero_ps(), most = _mm256_set1_ps(tile->most);
    a = _mm256_round_ps(_mm256_min_ps(_mm256_max_ps(a, least), most), _MM_FROUND_TO_NEAREST_INT);
    b = _mm256_round_ps(_mm256_min_ps(_mm256_max_ps(b, least), most), _MM_FROUND_TO_NEAREST_INT);
  }
  _mm256_store_ps(x, a), _mm256_store_ps(x + 8, b);
  for (int c = 0; c < tile->outs; ++c) {
    if (tile->bytes[row] != nullptr)
      tile->bytes[row][c] = (uint8_t)x[c];
    else
      tile->scores[row][c] = x[c];
  }
}

static inline void one_row(const IntegerTile* tile, int row) {
  __m256 x0 = _mm256_loadu_ps(tile->add), x1 = _mm256_loadu_ps(tile->add + 8);
  const int8_t* weights = tile->weights;
  for (int first = 0, g = 0; first < tile->steps; first += tile->group, ++g) {
    const int last = first + tile->group < tile->steps ? first + tile->group : tile->steps;
    __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
    for (int s = first; s < last; ++s, weights += 64) {
      const __m256i four = four_bytes(tile->rows[row] + tile->offsets[s]);
      const __m128i* w = (const __m128i*)weights;
      a = _mm256_add_epi32(a, _mm256_madd_epi16(four, _mm256_cvtepi8_epi16(_mm_loadu_si128(w))));
      b = _mm256_add_epi32(b,
                           _mm256_madd_epi16(four, _mm256_cvtepi8_epi16(_mm_loadu_si128(w + 1))));
      c = _mm256_add_epi32(c,
                           _mm256_madd_epi16(four, _mm256_cvtepi8_epi16(_mm_loadu_si128(w + 2))));
      d = _mm256_add_epi32(d,
                           _mm256_madd_epi16(four, _mm256_cvtepi8_epi16(_mm_loadu_si128(w + 3))));
    }
    const __m256i* start = (const __m256i*)(tile->start + g * kTileOuts);
    const float* scale = tile->scale + g * kTileOuts;
    const __m256i low = _mm256_add_epi32(halves(a, b), _mm256_loadu_si256(start));
    const __m256i high = _mm256_add_epi32(halves(c, d), _mm256_loadu_si256(start + 1));
    x0 = _mm256_fmadd_ps(_mm256_cvtepi32_ps(low), _mm256_loadu_ps(scale), x0);
    x1 = _mm256_fmadd_ps(_mm256_cvtepi32_ps(high), _mm256_loadu_ps(scale + 8), x1);
  }
  finish(tile, row, x0, x1);
}

void integer_tile_avx2(const IntegerTile* tile) {
  for (int row = 0; row < kTileRows; ++row) one_row(tile, row);
}

}  // namespace ridge
