// Idea      NVFP4: the same sixteen values, but 16 weights share a scale, and it is an e4m3.
// Changed   MXFP4's power of two; a scale with three bits of significand brings the largest weight of a block close to 6.
// Limits    Emulated. A byte of scale for 16 weights is half a bit a weight, twice that of MXFP4.
// Look at   Its error against MXFP4's: how much of it lay in the scale.
// Source    Introducing NVFP4 for Efficient and Accurate Low-Precision Inference (NVIDIA, 2025).
#include "kernels/quantnet/block_formats.h"
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(nvfp4, .emulated = true);
RIDGE_BLOCK_FORMAT(nvfp4, .element = BlockElement::e2m1, .scale = BlockScale::e4m3, .block = 16);
RIDGE_KERNEL(quantnet, cpu, nvfp4, .dtypes = "fp32", .prepare = prepare_floating,
             .launch = launch_floating);

}  // namespace
}  // namespace ridge
