// ridge: flags=-O3
//
// Idea      Turn the data round: one 64-bit word holds the same bit of 64 images. A LUT is then a circuit
//           of multiplexers, and every AND and XOR computes it for 64 images at once.
// Changed   Planes instead of rows; scores are carry-save counters, and so is the comparison of classes.
// Limits    About 200 operations a LUT for 64 images, whatever is in its table.
// Look at   No instruction here is newer than 1985.
// Source    Bit slicing: Biham, A Fast New DES Implementation in Software, FSE 1997.
#include <string.h>

#include "kernels/runtime/weightless/weightless.h"
#include "kernels/weightless/encoder.h"

namespace ridge {

typedef uint64_t Vec;
enum { kVecWords = 1 };

static inline Vec mux(Vec s, Vec a, Vec b) {
  return b ^ (s & (a ^ b));
}
static inline Vec full_add(Vec a, Vec b, Vec c, Vec* carry) {
  const Vec half = a ^ b;
  *carry = (a & b) | (half & c);
  return half ^ c;
}

static inline void columns_of_16(const uint8_t* pixels, uint8_t (*column)[64]) {
  for (int s = 0; s < 64; ++s) {
    for (int p = 0; p < kColumns; ++p) column[p][s] = pixels[(int64_t)s * kImageBytes + p];
  }
}

/// Eight bytes a word: without its top bit each is added to what carries into that bit when it is above;
/// a product then moves the eight top bits together.
static inline uint64_t above_64(const uint8_t* column, uint8_t threshold) {
  const uint64_t each = 0x0101010101010101, low = 0x7f * each,
                 add = (0x7f - (threshold & 0x7f)) * each;
  uint64_t word = 0;
  for (int i = 0; i < 8; ++i) {
    uint64_t x;
    memcpy(&x, column + 8 * i, sizeof(x));
    const uint64_t lower = (x & low) + add, above = threshold < 0x80 ? lower | x : lower & x;
    word |= ((above >> 7 & each) * 0x0102040810204080 >> 56) << (8 * i);
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

RIDGE_KERNEL(weightless, cpu, mux_portable, .dtypes = "bits", .prepare = prepare_encoder,
             .launch = launch_encoded);

}  // namespace ridge
