// ridge: isa=avx512bf16
//
// Idea      bf16 for real: activations, gradients and weights lie in 16 bits, products are vdpbf16ps.
// Changed   The same numbers as the emulated rung but for the order of sums; the speed is the type's.
// Limits    The rate of vdpbf16ps, where a CPU starts it less often than an FMA; the element-wise work, which widens and
//           narrows; products with few columns.
// Look at   Step time against fp32, and the memory: activations take half.
// Source    Intel SDM, VDPBF16PS; kernels/gemm/rungs/avx512_bf16.cpp.
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {.stored = Element::bf16};

RIDGE_TRAINING(mixed, cpu, bf16_avx512, .dtypes = "bf16", .maker = &kMixedCpu,
               .config = &kPrecision);

}  // namespace
}  // namespace ridge
