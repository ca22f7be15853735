// Idea      fp16: eleven bits of significand in half the bytes.
// Changed   A finer grid than bf16's, over a range that inference rarely leaves.
// Limits    Emulated: rounded to fp16, computed in fp32.
// Look at   The error against float64 beside bf16's: three bits are a factor of eight in each rounding.
// Source    IEEE 754-2019, binary16.
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(fp16, .element = Element::fp16, .emulated = true);
RIDGE_KERNEL(quantnet, cpu, fp16, .dtypes = "fp16", .prepare = prepare_floating,
             .launch = launch_floating);

}  // namespace
}  // namespace ridge
