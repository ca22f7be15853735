// Idea      The loss times a constant: by the chain rule every gradient is, and moves above the floor.
// Changed   Master weights and momentum in fp32; gradients are divided by the constant before the update.
// Limits    The constant: too small and gradients still vanish, too large and they overflow unnoticed.
// Look at   The histogram: the same shape as in fp32, moved to the right.
// Source    Micikevicius et al., arXiv:1710.03740, section 3.2.
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {
    .stored = Element::fp16, .scale = LossScale::fixed, .emulated = true};

RIDGE_TRAINING(mixed, cpu, fp16_static, .dtypes = "fp16", .maker = &kMixedCpu,
               .config = &kPrecision);

}  // namespace
}  // namespace ridge
