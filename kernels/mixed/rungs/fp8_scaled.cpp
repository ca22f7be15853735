// Idea      The operands of each product in fp8, each tensor scaled so that its largest comes just below the
//           type's largest.
// Changed   e4m3 (4 bits of significand) forward, e5m2 for gradients; between the products bf16.
// Limits    Emulated. A scale for each tensor needs its largest magnitude first: a pass over it.
// Look at   The accuracy delta, and whether the loss still falls as far.
// Source    Micikevicius et al., FP8 Formats for Deep Learning (arXiv:2209.05433).
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {
    .stored = Element::bf16, .multiplied = Element::e4m3, .emulated = true};

RIDGE_TRAINING(mixed, cpu, fp8_scaled, .dtypes = "fp8", .maker = &kMixedCpu, .config = &kPrecision);

}  // namespace
}  // namespace ridge
