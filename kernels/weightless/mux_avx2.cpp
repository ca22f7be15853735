// ridge: isa=avx2 flags=-O3
//
// Idea      The same circuit, 256 images wide: AND and XOR know nothing of lanes.
// Changed   What a vector is; not a line of the circuit.
// Limits    A multiplexer still takes three instructions, a full adder five.
// Look at   How near to four times mux_portable: the loads of six planes are wider too.
// Source    As mux_portable; vectors by the compiler's vector extension.
#include <string.h>

#include "kernels/weightless/weightless.h"

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

RIDGE_KERNEL(weightless, cpu, mux_avx2, .prepare = prepare_workspace, .launch = launch);

}  // namespace ridge
