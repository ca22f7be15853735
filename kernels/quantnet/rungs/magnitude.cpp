// Idea      The smallest weights of each layer become zero, and the others are trained on without them.
// Changed   Half of the weights are gone: a bit for each says which, and the others are stored.
// Limits    The zeros lie anywhere: they are multiplied like other numbers, and nothing is faster.
// Look at   pruned=90: how much accuracy goes when most of the weights do.
// Source    Han et al., Learning both Weights and Connections (arXiv:1506.02626).
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(magnitude, .tune = Tune::magnitude);
RIDGE_KERNEL(quantnet, cpu, magnitude, .dtypes = "fp32", .prepare = prepare_floating,
             .launch = launch_floating);

}  // namespace
}  // namespace ridge
