// Idea      MXFP4: sixteen values, 0 to 6 in steps that grow, and a power of two for 32 weights.
// Changed   Four bits in place of MXFP8's eight: one bit of significand is left.
// Limits    Emulated. A power of two rarely fits: the largest weight of a block may lie above 6 and is cut off, or far below.
// Look at   The gate: the network may lose more accuracy than `limit` allows. NVFP4 next tells how much lay in the scale.
// Source    OCP Microscaling Formats (MX) Specification 1.0; Rouhani et al., arXiv:2310.10537.
#include "kernels/quantnet/block_formats.h"
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(mxfp4, .emulated = true);
RIDGE_BLOCK_FORMAT(mxfp4, .element = BlockElement::e2m1, .scale = BlockScale::power_of_two,
                   .block = 32);
RIDGE_KERNEL(quantnet, cpu, mxfp4, .dtypes = "fp32", .prepare = prepare_floating,
             .launch = launch_floating);

}  // namespace
}  // namespace ridge
