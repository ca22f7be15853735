// Idea      A training step in fp32, forward, backward and SGD with momentum: what all others are held against.
// Changed   Nothing yet. A thread takes its own images through all layers and back, and waits for the others only
//           where a layer's weights are summed over the batch; a convolution is a product read from its image.
// Limits    The FMA units for wide layers; for narrow ones pooling, packing, the update and waiting.
// Look at   The histogram of gradients: most lie far below the weights, and fp16 begins at 2^-24.
// Source    Goto and van de Geijn for the products, Georganas et al. (SC 2018) for convolutions in place; llm.c
//           (Karpathy) for parameters in one flat buffer.
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {};

RIDGE_TRAINING(mixed, cpu, fp32, .dtypes = "fp32", .maker = &kMixedCpu, .config = &kPrecision);

}  // namespace
}  // namespace ridge
