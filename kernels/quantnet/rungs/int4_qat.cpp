// Idea      Train on with the weights as they will be rounded: the loss sees 4 bits, the gradient goes straight
//           through the rounding to the weights in fp32.
// Changed   The network, not its calibration: an epoch more, from the trained weights on.
// Limits    It takes the training data, and time for each network.
// Look at   The delta beside int4_groups', with a scale a channel alone; tune_epochs=0 is without the training.
// Source    Bengio et al. (arXiv:1308.3432); Jacob et al. (arXiv:1712.05877), section 3.
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(int4_qat, .integer = true, .weight_bits = 4, .per_channel = true,
             .tune = Tune::straight_through);
RIDGE_KERNEL(quantnet, cpu, int4_qat, .dtypes = "int8", .prepare = prepare_integer,
             .launch = launch_integer);

}  // namespace
}  // namespace ridge
