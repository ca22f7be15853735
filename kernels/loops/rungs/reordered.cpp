// ridge: flags=-O3
//
// Idea      The seven loops commute: 5,040 orders of the same multiply-adds. The order says what is used again
//           while it is still in a register or a cache, and what the innermost loop walks along.
// Changed   The order is a parameter (outermost first: n m c h w r s), and eight orders are compiled. The image
//           is copied with its zeros around it, so that no multiply-add tests for a border.
// Limits    With w innermost: vectors of neighbouring pixels, and y loaded and stored for every one of them.
// Look at   kernels/loops/nest.h, the nest itself. The note: what a cache model of this machine says each order loads from every level. And nhwcrsm,
//           whose innermost loop jumps from plane to plane.
// Source    J. Cong, B. Xiao, Minimizing Computation in Convolutional Neural Networks (2014) for the loops as a
//           design space.
#include "kernels/loops/loops.h"

namespace ridge {
namespace {

Status prepare_reordered(const Shape& shape, Plan* plan) {
  return loops::prepare_loops(shape, false, plan);
}

RIDGE_KERNEL(loops, cpu, reordered, .prepare = prepare_reordered, .launch = loops::launch_loops);

}  // namespace
}  // namespace ridge
