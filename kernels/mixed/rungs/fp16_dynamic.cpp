// Idea      The factor finds itself: halved where a gradient overflows, and that step left out; doubled after
//           200 good ones.
// Changed   Nobody has to know the range of the gradients beforehand.
// Limits    A test for infinities each step.
// Look at   The loss scale over the steps, and the steps that were left out.
// Source    Micikevicius et al., arXiv:1710.03740; NVIDIA Apex and torch.cuda.amp.GradScaler for the rule.
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {
    .stored = Element::fp16, .scale = LossScale::dynamic, .emulated = true};

RIDGE_TRAINING(mixed, cpu, fp16_dynamic, .dtypes = "fp16", .maker = &kMixedCpu,
               .config = &kPrecision);

}  // namespace
}  // namespace ridge
