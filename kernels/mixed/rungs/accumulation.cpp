// Idea      The batch in parts, one after the other, their gradients summed before one update.
// Changed   Activations are those of a part. The same loss and gradient, but for the order of sums.
// Limits    Small parts use the products badly; the work is the same.
// Look at   Memory against parts, and the time of a step.
// Source    Common practice; the sum over the batch is linear.
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {.accumulation = true};

RIDGE_TRAINING(mixed, cpu, accumulation, .dtypes = "fp32", .maker = &kMixedCpu,
               .config = &kPrecision);

}  // namespace
}  // namespace ridge
