// Idea      Rounding weights shifts the mean of every output: measure the shift, and take it off the bias.
// Changed   Weights of 4 bits, as in the rungs after; biases set by the calibration images, layer after layer.
// Limits    It mends the mean alone. What rounding does from image to image stays.
// Look at   least_squares with weight_bits=4 beside it: the same weights, other biases.
// Source    Nagel et al., Data-Free Quantization (arXiv:1906.04721), section 4.2, with measured means.
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(bias_correction, .integer = true, .weight_bits = 4, .per_channel = true,
             .clip = Clip::least_squares, .corrects_bias = true);
RIDGE_KERNEL(quantnet, cpu, bias_correction, .dtypes = "int8", .prepare = prepare_integer,
             .launch = launch_integer);

}  // namespace
}  // namespace ridge
