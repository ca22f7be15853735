// Idea      bf16: the range of fp32 with 8 bits of significand.
// Changed   No loss scale: the smallest number is 2^-133. Master weights in fp32.
// Limits    Emulated. Eight bits: products of rounded operands, though their sums are fp32.
// Look at   The accuracy delta: does a rounding error of 0.4 % in each activation show?
// Source    Kalamkar et al., A Study of BFLOAT16 for Deep Learning Training (arXiv:1905.12322).
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {.stored = Element::bf16, .emulated = true};

RIDGE_TRAINING(mixed, cpu, bf16, .dtypes = "bf16", .maker = &kMixedCpu, .config = &kPrecision);

}  // namespace
}  // namespace ridge
