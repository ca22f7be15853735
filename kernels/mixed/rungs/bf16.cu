// ridge: arch=80 needs=cublas
//
// Idea      bf16: as many bits as fp16, the range of fp32, no scale.
// Changed   The element type, nothing else.
// Limits    As fp16.
// Look at   Step time against fp16: the same. Accuracy delta: is there any?
// Source    Kalamkar et al. (arXiv:1905.12322).
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {.stored = Element::bf16};

RIDGE_TRAINING(mixed, cuda, bf16, .dtypes = "bf16", .maker = &kMixedCuda, .config = &kPrecision);

}  // namespace
}  // namespace ridge
