// Idea      Not every layer feels rounding alike: the one that feels it most keeps bf16, the others get 4 bits.
// Changed   Each layer's weights are rounded alone, once, and the scores say how much they felt it (signal to noise,
//           training images): what is worst is kept. Its activations are bytes as everywhere.
// Limits    Alone is not together: errors of several layers may add up or cancel. And a layer is all or nothing.
// Look at   Inside: the sensitivity of each layer. Set kept to 0, 1 and 2: what each costs in bytes and in time.
// Source    Dong et al., HAWQ (arXiv:1905.03696), chooses by curvature; measured noise as in Lin, Talathi and
//           Annapureddy, Fixed Point Quantization of Deep Convolutional Networks (arXiv:1511.06393).
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(mixed, .integer = true, .weight_bits = 4, .per_channel = true, .keeps_worst = true);
RIDGE_KERNEL(quantnet, cpu, mixed, .dtypes = "int8", .prepare = prepare_integer,
             .launch = launch_integer);

}  // namespace
}  // namespace ridge
