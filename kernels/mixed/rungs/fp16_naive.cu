// ridge: arch=80 needs=cublas
//
// Idea      Activations, their gradients and the multiplied weights lie in fp16. The update rounds weights and momentum
//           to fp16, in buffers of 4 bytes.
// Changed   Half the bytes of activations and gradients, tensor cores for products.
// Limits    Small gradients and small updates are rounded to zero.
// Look at   Accuracy against fp32 at a small learning rate.
// Source    Micikevicius et al., Mixed Precision Training (arXiv:1710.03740), section 3.
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {.stored = Element::fp16, .master = false};

RIDGE_TRAINING(mixed, cuda, fp16_naive, .dtypes = "fp16", .maker = &kMixedCuda,
               .config = &kPrecision);

}  // namespace
}  // namespace ridge
