// Idea      Whole filters go, those with the smallest weights, and all that read them: a smaller dense network.
// Changed   Any machine has less to multiply: three quarters of the channels on both sides are 9/16 of the products.
// Limits    A filter goes with its good weights too: at equal shares the delta is larger than that of single weights.
// Look at   The time in pairs with two_of_four, which multiplies as fp32; then pruned=50, which the gate may refuse.
// Source    Li et al., Pruning Filters for Efficient ConvNets (arXiv:1608.08710).
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(channels, .tune = Tune::channels);
RIDGE_KERNEL(quantnet, cpu, channels, .dtypes = "fp32", .prepare = prepare_floating,
             .launch = launch_floating);

}  // namespace
}  // namespace ridge
