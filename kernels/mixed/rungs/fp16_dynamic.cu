// ridge: arch=80 needs=cublas
//
// Idea      The factor finds itself, on the device: the host is asked for nothing within a step.
// Changed   The update reads what the search for infinities found; the static scale searches too and ignores it.
// Limits    One more pass over the gradients.
// Look at   Loss scale over the steps.
// Source    NVIDIA Apex and torch.cuda.amp.GradScaler for the rule.
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {.stored = Element::fp16, .scale = LossScale::dynamic};

RIDGE_TRAINING(mixed, cuda, fp16_dynamic, .dtypes = "fp16", .maker = &kMixedCuda,
               .config = &kPrecision);

}  // namespace
}  // namespace ridge
