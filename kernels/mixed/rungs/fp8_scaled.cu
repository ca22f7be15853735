// ridge: arch=80 needs=cublas
//
// Idea      The operands of a product in 8 bits, each tensor scaled by its own largest of this step.
// Changed   bf16 but for the products of dense layers: e4m3 forward, e5m2 gradients, by cuBLASLt. The last
//           layer stays bf16, its ten outputs are no multiple of 16; so do convolutions.
// Limits    Each operand is read once more for its largest and written once more in 8 bits, and once transposed.
// Look at   Step time beside bf16's at width 256 and at 4096.
// Source    Micikevicius et al. (arXiv:2209.05433); NVIDIA Transformer Engine's "current scaling".
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {.stored = Element::bf16, .multiplied = Element::e4m3};

RIDGE_TRAINING(mixed, cuda, fp8_scaled, .dtypes = "fp8", .maker = &kMixedCuda,
               .config = &kPrecision);

}  // namespace
}  // namespace ridge
