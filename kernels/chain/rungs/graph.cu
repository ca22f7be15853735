// ridge: arch=75
//
// Idea      The same kernels, recorded once as a CUDA graph and launched as a whole: the host pays for one.
// Changed   Who starts the kernels: the GPU's own front end, which knows what comes next.
// Limits    Each node waits for the one before to have ended and written its results: with rows this small
//           that is the way through the memory system, and no launch.
// Look at   us a node beside "graph node" among the ceilings: the difference is the kernel itself.
// Source    CUDA C++ Programming Guide, "CUDA Graphs"; stream capture.
#include "kernels/chain/rungs/separate_launches.h"
#include "kernels/runtime/cuda/graph_replay.h"

namespace {

using namespace ridge;

Status prepare(const Shape& shape, Plan* plan) {
  return Replay::prepare(plan, statistics_bytes(shape));
}

Status launch_all(const Launch& launch) {
  return launch_steps<false>(launch, static_cast<float*>(Replay::of(launch).workspace()), [] { return Status(); });
}

/// Recorded at the first call with these four buffers, then launched as a whole.
Status launch(const Launch& launch) {
  return Replay::of(launch).launch(launch, launch_all, 4);
}

}  // namespace

RIDGE_KERNEL(chain, cuda, graph, .may_sync = true, .prepare = prepare, .launch = launch);
