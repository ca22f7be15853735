// Idea      fp8: four bits of exponent, three of significand. Steps grow with the value, outliers cost little.
// Changed   A power of two for each tensor brings its largest below 448; nothing else has to be chosen.
// Limits    Emulated: rounded to e4m3, computed in fp32. A value has three bits, where int8's largest have seven.
// Look at   Beside int8: as many bytes, more noise in large values and less in small ones.
// Source    Micikevicius et al., FP8 Formats for Deep Learning (arXiv:2209.05433).
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(fp8_e4m3, .element = Element::e4m3, .emulated = true);
RIDGE_KERNEL(quantnet, cpu, fp8_e4m3, .dtypes = "fp8", .prepare = prepare_floating,
             .launch = launch_floating);

}  // namespace
}  // namespace ridge
