// ridge: isa=avx2 flags=-O3
//
// Idea      The same circuit, 256 images wide: AND and XOR know nothing of lanes.
// Changed   What a vector is; not a line of the circuit.
// Limits    A multiplexer still takes three instructions, a full adder five.
// Look at   How near to four times mux_portable: the loads of six planes are wider too.
// Source    As mux_portable; vectors by the compiler's vector extension.
#include <immintrin.h>

#include <string.h>

#include "kernels/runtime/weightless/weightless.h"
#include "kernels/weightless/encoder.h"

namespace ridge {

typedef uint64_t Vec __attribute__((vector_size(32)));
enum { kVecWords = 4 };

static inline Vec mux(Vec s, Vec a, Vec b) {
  return b ^ (s & (a ^ b));
}
static inline Vec full_add(Vec a, Vec b, Vec c, Vec* carry) {
  const Vec half = a ^ b;
  *carry = (a & b) | (half & c);
  return half ^ c;
}

/// 32 images at a time, two lanes of 16, as columns_of_16 in vec512.h.
static inline void columns_of_16(const uint8_t* pixels, uint8_t (*column)[64]) {
  for (int first = 0; first < 64; first += 32) {
    __m256i x[16], y[16];
    for (int i = 0; i < 16; ++i) {
      const uint8_t* row = pixels + (int64_t)(first + i) * kImageBytes;
      x[i] = _mm256_loadu2_m128i((const __m128i*)(row + 16 * kImageBytes), (const __m128i*)row);
    }
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 8; ++i) {
        y[2 * i] = _mm256_unpacklo_epi8(x[i], x[i + 8]);
        y[2 * i + 1] = _mm256_unpackhi_epi8(x[i], x[i + 8]);
      }
      for (int i = 0; i < 16; ++i) x[i] = y[i];
    }
    for (int i = 0; i < 16; ++i) _mm256_store_si256((__m256i*)(column[i] + first), x[i]);
  }
}

/// AVX2 compares signed bytes only: what is left after a saturating subtraction was above.
static inline uint64_t above_64(const uint8_t* column, uint8_t threshold) {
  const __m256i t = _mm256_set1_epi8((char)threshold), zero = _mm256_setzero_si256();
  uint64_t word = 0;
  for (int half = 0; half < 2; ++half) {
    const __m256i x = _mm256_load_si256((const __m256i*)(column + 32 * half));
    const __m256i not_above = _mm256_cmpeq_epi8(_mm256_subs_epu8(x, t), zero);
    word |= (uint64_t)(uint32_t)~_mm256_movemask_epi8(not_above) << (32 * half);
  }
  return word;
}

RIDGE_ENCODE_64(columns_of_16, above_64)

}  // namespace ridge

#include "kernels/weightless/rungs/mux_tree.h"

namespace ridge {

static inline void eight_luts(const LutModel* model, const void*, int first, int count,
                              const uint64_t* planes, Vec* out) {
  eight_muxes(model, first, count, planes, out);
}

}  // namespace ridge

#include "kernels/weightless/rungs/bit_sliced.h"

namespace ridge {

RIDGE_KERNEL(weightless, cpu, mux_avx2, .dtypes = "bits", .prepare = prepare_encoder,
             .launch = launch_encoded);

}  // namespace ridge
