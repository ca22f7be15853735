// ridge: isa=avx512f flags=-O3
//
// Idea      A word of a plane is a mask register: 32 addresses grow by one bit in two instructions.
// Changed   Addresses from masks, and counters of 32 images a register.
// Limits    One load of a table word an image and RAM, and the store that hands it to the counters.
// Look at   What is left is what WiSARD is: one look-up for each RAM.
// Source    As class_interleaved.
#include <immintrin.h>

#include "kernels/wisard/wisard.h"

namespace ridge {

typedef uint16_t Lanes __attribute__((vector_size(64)));
enum { kLanes = 32 };

static inline void ram_addresses(const uint64_t* planes, const uint16_t* order, int tuple,
                                 uint16_t* address) {
  for (int w = 0; w < kRamTileWords; ++w) {
    __m512i low = _mm512_setzero_si512(), high = low;
    for (int i = 0; i < tuple; ++i) {
      const uint64_t bits = planes[(int64_t)order[i] * kRamTileWords + w];
      const __m512i bit = _mm512_set1_epi16((short)(1 << i));
      low = _mm512_or_si512(low, _mm512_maskz_mov_epi16((__mmask32)bits, bit));
      high = _mm512_or_si512(high, _mm512_maskz_mov_epi16((__mmask32)(bits >> 32), bit));
    }
    _mm512_store_si512(address + 64 * w, low);
    _mm512_store_si512(address + 64 * w + 32, high);
  }
}

}  // namespace ridge

#include "kernels/wisard/rungs/interleaved.h"

namespace ridge {

RIDGE_KERNEL(wisard, cpu, class_interleaved_avx512, .dtypes = "bits",
             .prepare = prepare_interleaved, .launch = launch_interleaved);

}  // namespace ridge
