// ridge: isa=avx512bitalg flags=-O3,-ffp-contract=off,-fno-math-errno,-Wno-maybe-uninitialized
//
// The fast training step in AVX-512's words: addresses from masks, 64 look-ups in one vpshufbitqmb, the
// pin tables as butterflies over four registers, and a candidate's sum as four masked dot products.
#include <immintrin.h>

#include <stdint.h>

#include "kernels/runtime/weightless/lut_training.h"

namespace ridge {

static inline void addresses(const uint64_t* planes, const uint16_t* wiring, uint8_t* address) {
  for (int w = 0; w < kLutWords; ++w) {
    __m512i sum = _mm512_setzero_si512();
    for (int p = 0; p < kLutPins; ++p) {
      const __mmask64 bits = planes[wiring[p] * kLutWords + w];
      sum = _mm512_or_si512(sum, _mm512_maskz_set1_epi8(bits, (char)(1 << p)));
    }
    _mm512_store_si512(address + 64 * w, sum);
  }
}

static inline void outputs(uint64_t bits, const uint8_t* address, uint64_t* out) {
  const __m512i table = _mm512_set1_epi64((long long)bits);
  for (int w = 0; w < kLutWords; ++w) {
    out[w] = _mm512_bitshuffle_epi64_mask(table, _mm512_load_si512(address + 64 * w));
  }
}

/// x with the lanes whose address differs in bit `bit` exchanged; lanes are 16 consecutive addresses.
static inline __m512i exchange(__m512i x, int bit) {
  if (bit == 0) return _mm512_shuffle_epi32(x, _MM_PERM_CDAB);
  if (bit == 1) return _mm512_shuffle_epi32(x, _MM_PERM_BADC);
  if (bit == 2) return _mm512_shuffle_i64x2(x, x, _MM_SHUFFLE(2, 3, 0, 1));
  return _mm512_shuffle_i64x2(x, x, _MM_SHUFFLE(1, 0, 3, 2));
}

static inline void pin_table(const int32_t* q19, int pin, int16_t* table) {
  const __m512i entry[4] = {_mm512_load_si512(q19), _mm512_load_si512(q19 + 16),
                            _mm512_load_si512(q19 + 32), _mm512_load_si512(q19 + 48)};
  __m512i x[4], other[4];
  for (int bit = pin, step = 0; step < kLutPins; bit = (bit + 1) % kLutPins, ++step) {
    const __m512i* from = step == 0 ? entry : x;
    for (int v = 0; v < 4; ++v) {
      other[v] = bit < 4 ? exchange(from[v], bit) : from[v ^ (1 << (bit - 4))];
    }
    for (int v = 0; v < 4; ++v) {
      if (step > 0) {  // 3 x + other: beta = 1/3, scaled
        x[v] = _mm512_add_epi32(_mm512_add_epi32(x[v], _mm512_slli_epi32(x[v], 1)), other[v]);
        continue;
      }
      // The entry where the pin is 1, less the one where it is 0, at both addresses.
      static const uint16_t kOne[4] = {0xaaaa, 0xcccc, 0xf0f0, 0xff00};
      const __mmask16 one = (__mmask16)(bit < 4 ? kOne[bit] : v >> (bit - 4) & 1 ? 0xffff : 0);
      const __m512i difference = _mm512_sub_epi32(other[v], entry[v]);
      x[v] = _mm512_mask_sub_epi32(difference, one, entry[v], other[v]);
    }
  }
  const __m512i half = _mm512_set1_epi32(16384);
  for (int v = 0; v < 4; ++v) {
    const __m512i rounded = _mm512_srai_epi32(_mm512_add_epi32(x[v], half), 15);
    _mm256_store_si256((__m256i*)(table + 16 * v), _mm512_cvtsepi32_epi16(rounded));
  }
}

static inline void pin_gradients(const uint8_t* address, const int16_t* table,
                                 const int16_t* gradients, int8_t* out) {
  const __m512i low = _mm512_load_si512(table), high = _mm512_load_si512(table + 32);
  const __m512i half = _mm512_set1_epi16(16);
  for (int s = 0; s < kLutBatch; s += 32) {
    const __m512i index = _mm512_cvtepu8_epi16(_mm256_load_si256((const __m256i*)(address + s)));
    const __m512i pin = _mm512_permutex2var_epi16(low, index, high);
    const __m512i q14 = _mm512_mulhrs_epi16(_mm512_loadu_si512(gradients + s), pin);
    const __m512i unit = _mm512_srai_epi16(_mm512_add_epi16(q14, half), 5);
    _mm256_store_si256((__m256i*)(out + s), _mm512_cvtsepi16_epi8(unit));
  }
}

/// Sixteen registers of 16 numbers: lane i of the result is the sum of register i.
static inline __m512i sums_of_16(__m512i* x) {
  for (int i = 0; i < 8; ++i) {
    x[i] = _mm512_add_epi32(_mm512_unpacklo_epi32(x[2 * i], x[2 * i + 1]),
                            _mm512_unpackhi_epi32(x[2 * i], x[2 * i + 1]));
  }
  for (int i = 0; i < 4; ++i) {
    x[i] = _mm512_add_epi32(_mm512_unpacklo_epi64(x[2 * i], x[2 * i + 1]),
                            _mm512_unpackhi_epi64(x[2 * i], x[2 * i + 1]));
  }
  for (int i = 0; i < 2; ++i) {
    x[i] = _mm512_add_epi32(_mm512_shuffle_i32x4(x[2 * i], x[2 * i + 1], 0x88),
                            _mm512_shuffle_i32x4(x[2 * i], x[2 * i + 1], 0xdd));
  }
  return _mm512_add_epi32(_mm512_shuffle_i32x4(x[0], x[1], 0x88),
                          _mm512_shuffle_i32x4(x[0], x[1], 0xdd));
}

static inline void candidate_sums(const uint64_t* planes, const uint16_t* candidate, int count,
                                  const int8_t* pin, int32_t* sums) {
  const __m512i one = _mm512_set1_epi8(1);
  const __m512i p0 = _mm512_load_si512(pin), p1 = _mm512_load_si512(pin + 64),
                p2 = _mm512_load_si512(pin + 128), p3 = _mm512_load_si512(pin + 192);
  for (int k = 0; k < count; k += 16) {
    __m512i x[16];
    for (int i = 0; i < 16; ++i) {
      const uint64_t* bits = planes + candidate[k + i] * kLutWords;
      __m512i sum = _mm512_setzero_si512();
      sum = _mm512_dpbusd_epi32(sum, one, _mm512_maskz_mov_epi8(bits[0], p0));
      sum = _mm512_dpbusd_epi32(sum, one, _mm512_maskz_mov_epi8(bits[1], p1));
      sum = _mm512_dpbusd_epi32(sum, one, _mm512_maskz_mov_epi8(bits[2], p2));
      x[i] = _mm512_dpbusd_epi32(sum, one, _mm512_maskz_mov_epi8(bits[3], p3));
    }
    _mm512_store_si512(sums + k, sums_of_16(x));
  }
}

static inline int best_of(const float* weight, int count) {
  __m512 best = _mm512_load_ps(weight);
  for (int k = 16; k < count; k += 16) best = _mm512_max_ps(best, _mm512_load_ps(weight + k));
  const __m512 highest = _mm512_set1_ps(_mm512_reduce_max_ps(best));
  for (int k = 0;; k += 16) {
    const __mmask16 found = _mm512_cmpeq_ps_mask(_mm512_load_ps(weight + k), highest);
    if (found != 0 || k + 16 >= count) return k + __builtin_ctz(found | 0x10000);
  }
}

}  // namespace ridge

#include "kernels/runtime/weightless/fast_luts.h"

namespace ridge {

extern const LutKernel kLutAvx512;
const LutKernel kLutAvx512 = {backward, forward};

}  // namespace ridge
