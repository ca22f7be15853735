// ridge: flags=-O3,-ffp-contract=off,-fno-math-errno
//
// The fast training step in portable C: eight images a 64-bit word where bits become bytes, and a
// candidate's sum by look-up of the 16 partial sums of every four images.
#include <stdint.h>
#include <string.h>

#include "kernels/runtime/weightless/lut_training.h"

namespace ridge {

/// Bit i of the byte becomes byte i: 0 or 1. The product puts a copy of the byte everywhere, each byte
/// keeps one bit, and adding 0x7f carries it up to the sign.
static inline uint64_t spread(uint64_t byte) {
  const uint64_t one_each = (byte * 0x0101010101010101) & 0x8040201008040201;
  return (one_each + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
}

static inline void addresses(const uint64_t* planes, const uint16_t* wiring, uint8_t* address) {
  for (int s = 0; s < kLutBatch; s += 8) {
    uint64_t eight = 0;
    for (int p = 0; p < kLutPins; ++p) {
      eight |= spread(planes[wiring[p] * kLutWords + s / 64] >> (s % 64) & 0xff) << p;
    }
    memcpy(address + s, &eight, sizeof(eight));
  }
}

static inline void outputs(uint64_t bits, const uint8_t* address, uint64_t* out) {
  for (int w = 0; w < kLutWords; ++w) {
    uint64_t word = 0;
    for (int s = 0; s < 64; ++s) word |= (bits >> address[64 * w + s] & 1) << s;
    out[w] = word;
  }
}

static inline void pin_table(const int32_t* q19, int pin, int16_t* table) {
  int32_t x[kLutEntries], y[kLutEntries];
  for (int a = 0; a < kLutEntries; ++a) x[a] = q19[a | 1 << pin] - q19[a & ~(1 << pin)];
  for (int bit = 0; bit < kLutPins; ++bit) {
    if (bit == pin) continue;
    for (int a = 0; a < kLutEntries; ++a) y[a] = 3 * x[a] + x[a ^ 1 << bit];
    memcpy(x, y, sizeof(x));
  }
  for (int a = 0; a < kLutEntries; ++a) table[a] = pin_q15(x[a]);
}

static inline void pin_gradients(const uint8_t* address, const int16_t* table,
                                 const int16_t* gradients, int8_t* out) {
  for (int s = 0; s < kLutBatch; ++s) out[s] = pin_gradient(gradients[s], table[address[s]]);
}

static inline void candidate_sums(const uint64_t* planes, const uint16_t* candidate, int count,
                                  const int8_t* pin, int32_t* sums) {
  int16_t part[kLutBatch / 4][16];
  for (int q = 0; q < kLutBatch / 4; ++q) {
    part[q][0] = 0;
    for (int i = 1; i < 16; ++i) {
      part[q][i] = (int16_t)(part[q][i & (i - 1)] + pin[4 * q + __builtin_ctz((unsigned)i)]);
    }
  }
  for (int k = 0; k < count; ++k) {
    const uint64_t* bits = planes + candidate[k] * kLutWords;
    int32_t sum = 0;
    for (int w = 0; w < kLutWords; ++w) {
      for (int q = 0; q < 16; ++q) sum += part[16 * w + q][bits[w] >> (4 * q) & 15];
    }
    sums[k] = sum;
  }
}

static inline int best_of(const float* weight, int count) {
  int best = 0;
  for (int k = 1; k < count; ++k) {
    if (weight[k] > weight[best]) best = k;
  }
  return best;
}

}  // namespace ridge

#include "kernels/runtime/weightless/fast_luts.h"

namespace ridge {

extern const LutKernel kLutPortable;
const LutKernel kLutPortable = {backward, forward};

}  // namespace ridge
