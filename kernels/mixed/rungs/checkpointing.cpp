// Idea      Outputs are kept at a few layers only; backward computes those between again, by segments.
// Changed   As fp32, with a second forward pass for all but the last segment. The same loss, bit for bit.
// Limits    Arithmetic: up to a third more. What it saves is activations, not parameters.
// Look at   Memory beside step time; with memory_mib set, the largest batch that fits.
// Source    Chen et al., Training Deep Nets with Sublinear Memory Cost (arXiv:1604.06174).
#include "kernels/runtime/networks/precision.h"

namespace ridge {
namespace {

constexpr Precision kPrecision = {.checkpointing = true};

RIDGE_TRAINING(mixed, cpu, checkpointing, .dtypes = "fp32", .maker = &kMixedCpu,
               .config = &kPrecision);

}  // namespace
}  // namespace ridge
