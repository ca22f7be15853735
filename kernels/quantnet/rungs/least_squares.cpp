// Idea      Calibration: the clipping point of least squared error, of activations and of each filter's weights.
// Changed   What is lost by cutting off is weighed against what finer steps win.
// Limits    An error counts alike wherever it is; a layer that decides little is treated as one that decides all.
// Look at   weight_bits=4, act_bits=4: by the largest, and by least squares.
// Source    Choukroun et al., Low-bit Quantization of Neural Networks (arXiv:1902.06822).
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(least_squares, .integer = true, .per_channel = true, .clip = Clip::least_squares);
RIDGE_KERNEL(quantnet, cpu, least_squares, .dtypes = "int8", .prepare = prepare_integer,
             .launch = launch_integer);

}  // namespace
}  // namespace ridge
