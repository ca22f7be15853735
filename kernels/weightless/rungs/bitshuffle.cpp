// ridge: isa=avx512bitalg flags=-O3
//
// Idea      vpshufbitqmb shuffles bits: for each of 64 bytes it picks the bit of a 64-bit word at that place.
//           A LUT-6 is such a word, an address such a byte: one instruction is 64 look-ups.
// Changed   The look-up is one instruction; the addresses are most of the work.
// Limits    Six planes have to become 64 bytes: a mask load and a masked addition each, for one look-up.
// Look at   How close a plain circuit of the same width comes: the look-up was never the problem.
// Source    Intel's BITALG, made for other permutations.
#include <immintrin.h>

#include "kernels/weightless/rungs/vec512.h"

namespace ridge {

static inline uint64_t look_up_64(uint64_t table, const uint16_t* pin, const uint64_t* planes) {
  __m512i address = _mm512_setzero_si512();
  for (int p = 0; p < kLutInputs; ++p) {
    const __mmask64 bits = planes[(int64_t)pin[p] * kTileWords];
    address = _mm512_mask_add_epi8(address, bits, address, _mm512_set1_epi8((char)(1 << p)));
  }
  return _mm512_bitshuffle_epi64_mask(_mm512_set1_epi64((long long)table), address);
}

static inline void eight_luts(const LutModel* model, const void*, int first, int count,
                              const uint64_t* planes, Vec* out) {
  for (int i = 0; i < 8; ++i) {
    out[i] = Vec{};
    if (i >= count) continue;
    const int64_t j = first + i;
    for (int w = 0; w < kTileWords; ++w) {
      out[i][w] = look_up_64(model->tables[j], model->wiring + j * kLutInputs, planes + w);
    }
  }
}

}  // namespace ridge

#include "kernels/weightless/rungs/bit_sliced.h"

namespace ridge {

RIDGE_KERNEL(weightless, cpu, bitshuffle, .dtypes = "bits", .prepare = prepare_encoder,
             .launch = launch_encoded);

}  // namespace ridge
