// ridge: arch=80 needs=cublas
//
// Idea      The batch in parts, one after the other, gradients summed in fp32 before one update.
// Changed   Activations are those of a part.
// Limits    Small parts leave the GPU idle.
// Look at   Memory against parts, and the time of a step.
// Source    Common practice; the sum over the batch is linear.
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {.stored = Element::bf16, .accumulation = true};

RIDGE_TRAINING(mixed, cuda, accumulation, .dtypes = "bf16", .maker = &kMixedCuda,
               .config = &kPrecision);

}  // namespace
}  // namespace ridge
