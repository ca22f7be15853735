// Ceiling: the same kernels as nodes of a CUDA graph, replayed: what a node costs the GPU.
//
// Idea        Recorded once, launched as a whole: the host pays for one launch, and the GPU's own front end
//             starts node after node.
// Look at     Against probe.cuda.launch: what a graph can save where kernels take no time.
#include "kernels/runtime/cuda/graph_replay.h"
#include "kernels/probe/rungs/launch_nodes.h"

namespace {

using namespace ridge;

Status prepare(const Shape&, Plan* plan) {
  return Replay::prepare(plan, 0);
}

Status launch(const Launch& launch) {
  return Replay::of(launch).launch(launch, probe::launch_nodes, 2);
}

}  // namespace

RIDGE_KERNEL(probe, cuda, graph_node, .may_sync = true, .prepare = prepare, .launch = launch);
