// ridge: arch=90
//
// Idea      A node may be launched while the one before it still runs, and waits on the GPU for its results:
//           its start is over when they come.
// Changed   The graph's edges: programmatic dependent launch.
// Limits    The dependence itself: what one kernel writes, the next reads, through the L2.
// Look at   us a node beside the plain graph's.
// Source    CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization"; in graphs since
//           CUDA 12.3.
#include "kernels/chain/rungs/separate_launches.h"
#include "kernels/runtime/cuda/graph_replay.h"

namespace {

using namespace ridge;

Status prepare(const Shape& shape, Plan* plan) {
  return Replay::prepare(plan, statistics_bytes(shape));
}

Status launch_all(const Launch& launch) {
  return launch_steps<true>(launch, static_cast<float*>(Replay::of(launch).workspace()), [] { return Status(); });
}

/// Recorded at the first call with these four buffers, then launched as a whole.
Status launch(const Launch& launch) {
  return Replay::of(launch).launch(launch, launch_all, 4);
}

}  // namespace

RIDGE_KERNEL(chain, cuda, overlapped, .may_sync = true, .prepare = prepare, .launch = launch);
