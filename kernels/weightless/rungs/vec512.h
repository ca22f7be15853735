// 512 images in a register, where any function of three bits is one instruction: what the AVX-512 rungs
// mean by Vec, mux and full_add in bit_sliced.h, and an encoder that compares 64 pixels at once.
#pragma once

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "kernels/runtime/weightless/weightless.h"
#include "kernels/weightless/encoder.h"

namespace ridge {

typedef uint64_t Vec __attribute__((vector_size(64)));
enum { kVecWords = 8 };

static inline Vec mux(Vec s, Vec a, Vec b) {
  return (Vec)_mm512_ternarylogic_epi64((__m512i)s, (__m512i)a, (__m512i)b, 0xca);
}
static inline Vec full_add(Vec a, Vec b, Vec c, Vec* carry) {
  *carry = (Vec)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0xe8);
  return (Vec)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
}

/// What all calls do beside encoding, for the shares of the ceilings: the LUTs, and 7 full adders for 8 of
/// their outputs; six planes of 64 bytes a LUT, of which few are still in the L1, and `bytes` of the LUT's
/// own.
static inline void count_work(const Shape& shape, double operations, double bytes, Plan* plan) {
  const int64_t tiles = (shape.dim[kLutImages] + kTile - 1) / kTile;
  const double luts = (double)tiles * (double)shape.dim[kLutLuts];
  plan->vector_ops = luts * (operations + 7 * 2 / 8.0);
  plan->l2_bytes = luts * (kLutInputs * 64 + bytes);
}

static inline __m128i sixteen(const uint8_t* pixels, int image) {
  return _mm_loadu_si128((const __m128i*)(pixels + (int64_t)image * kImageBytes));
}

/// Lane l of register i starts as image 16 l + i: broadcasts under a mask put it there without a shuffle.
/// Interleaving registers i and i + 8 four times then turns 16 x 16 bytes round in every lane.
static inline void columns_of_16(const uint8_t* pixels, uint8_t (*column)[64]) {
  __m512i x[16], y[16];
  for (int i = 0; i < 16; ++i) {
    x[i] = _mm512_castsi128_si512(sixteen(pixels, i));
    x[i] = _mm512_mask_broadcast_i32x4(x[i], 0x00f0, sixteen(pixels, i + 16));
    x[i] = _mm512_mask_broadcast_i32x4(x[i], 0x0f00, sixteen(pixels, i + 32));
    x[i] = _mm512_mask_broadcast_i32x4(x[i], 0xf000, sixteen(pixels, i + 48));
  }
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 8; ++i) {
      y[2 * i] = _mm512_unpacklo_epi8(x[i], x[i + 8]);
      y[2 * i + 1] = _mm512_unpackhi_epi8(x[i], x[i + 8]);
    }
    for (int i = 0; i < 16; ++i) x[i] = y[i];
  }
  for (int i = 0; i < 16; ++i) _mm512_store_si512(column[i], x[i]);
}

static inline uint64_t above_64(const uint8_t* column, uint8_t threshold) {
  return _mm512_cmpgt_epu8_mask(_mm512_load_si512(column), _mm512_set1_epi8((char)threshold));
}

RIDGE_ENCODE_64(columns_of_16, above_64)

}  // namespace ridge
