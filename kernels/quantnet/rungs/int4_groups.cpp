// Idea      A scale for each 32 weights: fifteen levels are enough where neighbours are of one size.
// Changed   Sums of a group are integers; groups are added in fp32, each with its scale.
// Limits    A scale of 4 bytes for 32 weights is a bit a weight, and each group costs a multiplication.
// Look at   Bytes against accuracy, group=1 (four weights) to 64.
// Source    Dettmers and Zettlemoyer, The case for 4-bit precision (arXiv:2212.09720); GGML's block formats.
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(int4_groups, .integer = true, .weight_bits = 4, .per_channel = true, .groups = true,
             .clip = Clip::least_squares);
RIDGE_KERNEL(quantnet, cpu, int4_groups, .dtypes = "int8", .prepare = prepare_integer,
             .launch = launch_integer);

}  // namespace
}  // namespace ridge
