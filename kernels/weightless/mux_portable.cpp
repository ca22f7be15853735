// ridge: flags=-O3
//
// Idea      Turn the data round: one 64-bit word holds the same bit of 64 images. A LUT is then a circuit
//           of multiplexers, and every AND and XOR computes it for 64 images at once.
// Changed   Planes instead of rows; scores are carry-save counters, and so is the comparison of classes.
// Limits    About 200 operations a LUT for 64 images, whatever is in its table.
// Look at   No instruction here is newer than 1985.
// Source    Bit slicing: Biham, A Fast New DES Implementation in Software, FSE 1997.
#include <string.h>

#include "kernels/weightless/weightless.h"

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

}  // namespace ridge

#include "kernels/weightless/mux_tree.h"

namespace ridge {

static inline void eight_luts(const LutModel* model, const void*, int first, int count,
                              const uint64_t* planes, Vec* out) {
  eight_muxes(model, first, count, planes, out);
}

}  // namespace ridge

#include "kernels/weightless/bit_sliced.h"

namespace ridge {

static Status launch(const Launch& launch) {
  const Classify c = classify_of(launch);
  classify_all(&c, nullptr, (uint64_t*)launch.plan_state);
  return {};
}

RIDGE_KERNEL(weightless, cpu, mux_portable, .prepare = prepare_workspace, .launch = launch);

}  // namespace ridge
