// ridge: arch=80 needs=cublas
//
// Idea      Outputs are kept at a few layers only; backward computes those between again.
// Changed   bf16 with a second forward pass for all but the last segment. The same loss, bit for bit.
// Limits    Arithmetic: up to a third more.
// Look at   Memory beside step time; with memory_mib set, the largest batch that fits.
// Source    Chen et al. (arXiv:1604.06174).
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {.stored = Element::bf16, .checkpointing = true};

RIDGE_TRAINING(mixed, cuda, checkpointing, .dtypes = "bf16", .maker = &kMixedCuda,
               .config = &kPrecision);

}  // namespace
}  // namespace ridge
