// ridge: flags=-O3,-fno-tree-vectorize
//
// Idea      Chases that need nothing of each other wait at the same time: a core keeps several misses in flight. Lines
//           in flight = latency x lines a second (Little's law).
// Changed   All chases take a step, then all the next one; the same lines are visited.
// Limits    The core's buffers for lines on their way (10 to 16 of the L1 on many cores), and page walks.
// Look at   A sweep over `chases`, or two runs: the time of a step falls as their number grows.
// Source    Glew, MLP yes! ILP no!, ASPLOS Wild and Crazy Ideas 1998.
#include "kernels/chase/follow.h"
#include "kernels/chase/pages.h"

namespace ridge {
namespace {

Status prepare_chases(const Shape& shape, Plan* plan) {
  if (shape.dim[1] > kMostChases) return refuse(kTooManyChases);
  return lay_out_cycle(shape, false, plan);
}

Status launch_chases(const Launch& launch) {
  const Chase c = chase_of(launch);
  kFollow[c.chases - 1](c);
  return {};
}

RIDGE_KERNEL(chase, cpu, chases, .prepare = prepare_chases, .launch = launch_chases);

}  // namespace
}  // namespace ridge
