// ridge: isa=avx512bf16
//
// Idea      bf16: the upper half of every number. No calibration, nothing to choose.
// Changed   Half the bytes; products are vdpbf16ps, with sums in fp32.
// Limits    Eight bits of significand in every activation.
// Look at   The accuracy beside fp32's, over several seeds. Then the time: half the bytes need not be faster.
// Source    Kalamkar et al., A Study of BFLOAT16 for Deep Learning Training (arXiv:1905.12322).
#include "kernels/quantnet/quantnet.h"

namespace ridge {
namespace {

RIDGE_RECIPE(bf16, .element = Element::bf16);
RIDGE_KERNEL(quantnet, cpu, bf16, .dtypes = "bf16", .prepare = prepare_floating,
             .launch = launch_floating);

}  // namespace
}  // namespace ridge
