// Idea      Of each four weights that follow each other the two smaller ones go.
// Changed   A pattern that hardware can skip: tensor cores from Ampere on take such weights at twice the rate.
// Limits    This CPU has nothing that skips them: no faster here. Which two go cannot follow where the small ones are.
// Look at   The delta beside magnitude at 50 %: what the pattern costs.
// Source    Mishra et al., Accelerating Sparse Deep Neural Networks (arXiv:2104.08378).
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(two_of_four, .tune = Tune::two_of_four);
RIDGE_KERNEL(quantnet, cpu, two_of_four, .dtypes = "fp32", .prepare = prepare_floating,
             .launch = launch_floating);

}  // namespace
}  // namespace ridge
