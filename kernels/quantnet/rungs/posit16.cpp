// Idea      posit16: no scale at all. Near 1 it has eleven bits after the point, one more than fp16; far away ever fewer.
// Changed   A regime of changing length says how far away: bits go where the values are.
// Limits    Emulated, and no common hardware has it. Values are finest near 1; weights lie mostly well below.
// Look at   Beside fp16 and bf16, which take two bytes too.
// Source    Standard for Posit Arithmetic (2022); Gustafson and Yonemoto, Beating Floating Point at its Own Game (2017).
#include "kernels/quantnet/block_formats.h"
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(posit16, .emulated = true);
RIDGE_BLOCK_FORMAT(posit16, .element = BlockElement::posit16);
RIDGE_KERNEL(quantnet, cpu, posit16, .dtypes = "fp32", .prepare = prepare_floating,
             .launch = launch_floating);

}  // namespace
}  // namespace ridge
