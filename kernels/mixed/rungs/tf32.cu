// ridge: arch=80 needs=cublas
//
// Idea      Products and convolutions round their operands to 10 bits of mantissa, and run on tensor cores.
// Changed   Only these; storage and all else stay fp32, and so does the gradient of convolutions' weights:
//           ldmatrix transposes only 16-bit numbers.
// Limits    Memory now: operands are as wide as before.
// Look at   What the switch brings for a wide layer, and for a narrow one.
// Source    NVIDIA A100 Tensor Core GPU Architecture (2020).
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {.multiplied = Element::tf32};

RIDGE_TRAINING(mixed, cuda, tf32, .dtypes = "tf32", .maker = &kMixedCuda, .config = &kPrecision);

}  // namespace
}  // namespace ridge
