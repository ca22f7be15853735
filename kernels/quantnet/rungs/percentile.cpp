// Idea      Calibration: the few highest activations are cut off, so that all others have finer steps.
// Changed   The clipping point is a percentile of what the calibration images made, not the largest.
// Limits    Which percentile? Too low a one cuts off what tells classes apart.
// Look at   The histogram with its clipping point; then act_bits=4, where steps are wide.
// Source    Wu et al., Integer Quantization for Deep Learning Inference (arXiv:2004.09602), section 3.
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(percentile, .integer = true, .per_channel = true, .clip = Clip::percentile);
RIDGE_KERNEL(quantnet, cpu, percentile, .dtypes = "int8", .prepare = prepare_integer,
             .launch = launch_integer);

}  // namespace
}  // namespace ridge
