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

/// Four rows at once: eight sums, so that an instruction need not wait for the one before.
static inline void four_kept_rows(const IntegerTile* tile, int first) {
  __m256 sum[4][2] = {};
  const __m128i zero = _mm_set1_epi32(tile->zero);
  const float* w = tile->kept;
  for (int s = 0; s < tile->steps; ++s, w += 4 * kTileOuts) {
    alignas(16) float q[4][4];
    for (int r = 0; r < 4; ++r) {
      int32_t word;
      __builtin_memcpy(&word, tile->rows[first + r] + tile->offsets[s], sizeof(word));
      const __m128i bytes = _mm_cvtepu8_epi32(_mm_cvtsi32_si128(word));
      _mm_store_ps(q[r], _mm_cvtepi32_ps(_mm_sub_epi32(bytes, zero)));
    }
    for (int i = 0; i < 4; ++i) {
      const __m256 low = _mm256_loadu_ps(w + i * kTileOuts);
      const __m256 high = _mm256_loadu_ps(w + i * kTileOuts + 8);
      for (int r = 0; r < 4; ++r) {
        const __m256 x = _mm256_broadcast_ss(&q[r][i]);
        sum[r][0] = _mm256_fmadd_ps(x, low, sum[r][0]);
        sum[r][1] = _mm256_fmadd_ps(x, high, sum[r][1]);
      }
    }
  }
  for (int r = 0; r < 4; ++r) {
    const __m256 a =
        _mm256_fmadd_ps(sum[r][0], _mm256_loadu_ps(tile->scale), _mm256_loadu_ps(tile->add));
    const __m256 b = _mm256_fmadd_ps(sum[r][1], _mm256_loadu_ps(tile->scale + 8),
                                     _mm256_loadu_ps(tile->add + 8));
    finish(tile, first + r, a, b);
  }
}

void kept_tile_avx2(const IntegerTile* tile) {
  for (int row = 0; row < kTileRows; row += 4) four_kept_rows(tile, row);
}

}  // namespace ridge
