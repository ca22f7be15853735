// Idea      Calibration: cut off where the distribution that is left diverges least from what there was.
// Changed   Nothing to set: the clipping point follows from the histogram.
// Limits    It weighs how often a value occurs, not what the value is worth to the next layer.
// Look at   Its clipping point beside the percentile's and the maximum.
// Source    Migacz, 8-bit inference with TensorRT, GTC 2017.
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(entropy, .integer = true, .per_channel = true, .clip = Clip::entropy);
RIDGE_KERNEL(quantnet, cpu, entropy, .dtypes = "int8", .prepare = prepare_integer,
             .launch = launch_integer);

}  // namespace
}  // namespace ridge
