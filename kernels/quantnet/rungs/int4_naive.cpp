// Idea      Weights of 4 bits the plain way: fifteen levels for a whole layer, by its largest weight.
// Changed   Half the bytes of int8.
// Limits    Most weights of a layer are far smaller than its largest, and become 0, 1 or -1.
// Look at   The accuracy beside fp32's, seed by seed: with some the gate may refuse a time.
// Source    Krishnamoorthi (arXiv:1806.08342), on fewer than 8 bits.
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(int4_naive, .integer = true, .weight_bits = 4);
RIDGE_KERNEL(quantnet, cpu, int4_naive, .dtypes = "int8", .prepare = prepare_integer,
             .launch = launch_integer);

}  // namespace
}  // namespace ridge
