// ridge: arch=75
//
// Idea      A block takes a row: neighbouring threads read neighbouring elements. Warps add up by shuffles,
//           the block through shared memory; the passes stay what they were (row_passes.h).
// Changed   Which thread has which element. A warp's request is now one or two lines.
// Limits    Softmax reads a row three times. The second and third come from the L1 or L2, if the blocks under
//           way leave them there. Warps wait for loads; neither memory nor the issue slots are full.
// Look at   Bandwidth counts each byte once: what the repeats cost is what is missing.
// Source    NVIDIA, "Optimizing Parallel Reduction in CUDA" (Harris); warp shuffles: CUDA C++ Programming Guide.
#include "kernels/rows/rungs/row_op.h"
#include "kernels/rows/rungs/row_passes.h"

namespace {

using namespace ridge;

Status launch(const Launch& launch) {
  return with_row_op(launch, [&](auto op, auto element) {
    return launch_passes<decltype(element), decltype(op)::value>(launch);
  });
}

}  // namespace

RIDGE_KERNEL(rows, cuda, passes, .dtypes = "bf16 fp32", .launch = launch);
