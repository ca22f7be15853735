// Idea      A scale for each output channel's weights.
// Changed   A narrow filter has all levels to itself. It costs one multiplication that was there already.
// Limits    The largest activation, an outlier perhaps, still sets the step of all activations.
// Look at   weight_bits=4, beside one scale a layer at 4 bits.
// Source    Krishnamoorthi (arXiv:1806.08342), section 3.
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(int8_channel, .integer = true, .per_channel = true);
RIDGE_KERNEL(quantnet, cpu, int8_channel, .dtypes = "int8", .prepare = prepare_integer,
             .launch = launch_integer);

}  // namespace
}  // namespace ridge
