// ridge: flags=-O3
//
// Exercise  Sixty-four images at once
// Level     3
// After     weightless.cpu.naive
// Task      A word now holds one bit of 64 images. Choosing and adding have to
//           be done for all of them by AND, OR and XOR: write the multiplexer
//           and the full adder that everything else is made of.
// Hint      A multiplexer by logic: where s is 1 take a, else b. a ^ b has ones
//           where they differ.
// Hint      mux: b ^ (s & (a ^ b)). The sum of three bits is odd where a ^ b ^
//           c is 1.
// Hint      A carry arises where at least two of the three are 1: (a & b) | ((a
//           ^ b) & c).
#include <string.h>

#include "kernels/runtime/weightless/weightless.h"
#include "kernels/weightless/encoder.h"

namespace ridge {

typedef uint64_t Vec;
enum { kVecWords = 1 };

/// For each of 64 images: a where its bit of s is 1, else b.
static inline Vec mux(Vec s, Vec a, Vec b) {
  Vec chosen = 0;
  // solution: chosen, by &, | and ^ of s, a and b
  chosen = b ^ (s & (a ^ b));
  // end of solution
  (void)s, (void)a, (void)b;
  return chosen;
}

/// For each of 64 images: the last bit of a + b + c; the other goes to `carry`.
static inline Vec full_add(Vec a, Vec b, Vec c, Vec* carry) {
  Vec sum = 0;
  *carry = 0;
  // solution: sum and *carry, by &, | and ^ of a, b and c
  const Vec half = a ^ b;
  *carry = (a & b) | (half & c);
  sum = half ^ c;
  // end of solution
  (void)a, (void)b, (void)c;
  return sum;
}

static inline void columns_of_16(const uint8_t* pixels, uint8_t (*column)[64]) {
  for (int s = 0; s < 64; ++s) {
    for (int p = 0; p < kColumns; ++p) column[p][s] = pixels[(int64_t)s * kImageBytes + p];
  }
}

static inline uint64_t above_64(const uint8_t* column, uint8_t threshold) {
  uint64_t word = 0;
  for (int s = 0; s < 64; ++s) word |= (uint64_t)(column[s] > threshold) << s;
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

static Status launch(const Launch& launch) {
  const Classify c = classify_of(launch);
  classify_all(&c, nullptr, (const Encoder*)launch.plan_state);
  return {};
}

RIDGE_KERNEL(weightless, cpu, sixty_four_images, .dtypes = "bits", .prepare = prepare_encoder,
             .launch = launch);

}  // namespace ridge
