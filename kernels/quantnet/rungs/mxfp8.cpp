// Idea      MXFP8: 32 neighbouring weights share a power of two, each is an e4m3.
// Changed   fp8 had one scale for a tensor; now a block of small weights has a small one of its own.
// Limits    Emulated: weights are rounded, products are fp32's. A byte of scale for 32 weights is a quarter of a bit a weight.
// Look at   Beside fp8: the same three bits of significand. Only the range is larger.
// Source    OCP Microscaling Formats (MX) Specification 1.0; Rouhani et al., arXiv:2310.10537.
#include "kernels/quantnet/block_formats.h"
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(mxfp8, .emulated = true);
RIDGE_BLOCK_FORMAT(mxfp8, .element = BlockElement::e4m3, .scale = BlockScale::power_of_two,
                   .block = 32);
RIDGE_KERNEL(quantnet, cpu, mxfp8, .dtypes = "fp32", .prepare = prepare_floating,
             .launch = launch_floating);

}  // namespace
}  // namespace ridge
