// ridge: arch=80 needs=cublas
//
// Idea      The loss times a constant, master weights in fp32.
// Changed   Gradients of weights come out of their products in fp32, and are divided there.
// Limits    The constant has to be known.
// Look at   The histogram: moved to the right.
// Source    Micikevicius et al., arXiv:1710.03740, section 3.2.
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {.stored = Element::fp16, .scale = LossScale::fixed};

RIDGE_TRAINING(mixed, cuda, fp16_static, .dtypes = "fp16", .maker = &kMixedCuda,
               .config = &kPrecision);

}  // namespace
}  // namespace ridge
