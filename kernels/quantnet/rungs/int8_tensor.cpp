// Idea      Int8, the plain way: a scale a layer for the weights, one for the activations, both by the largest.
// Changed   A quarter of the bytes, and integer products: 64 an instruction.
// Limits    The widest filter sets the step of all filters of a layer.
// Look at   Signal to noise, layer by layer, and how little of it reaches the accuracy.
// Source    Jacob et al. (arXiv:1712.05877).
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(int8_tensor, .integer = true);
RIDGE_KERNEL(quantnet, cpu, int8_tensor, .dtypes = "int8", .prepare = prepare_integer,
             .launch = launch_integer);

}  // namespace
}  // namespace ridge
