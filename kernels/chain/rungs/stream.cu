// ridge: arch=75
//
// Idea      The stream keeps the order: nothing has to be waited for between two kernels.
// Changed   The synchronisations are gone.
// Limits    The host: it launches a kernel every 2 to 4 us, and the GPU is through with a small one before
//           the next has come. Timed with the host's part in it, as a program would call it (may_sync).
// Look at   us a node beside "kernel launch" among the ceilings.
// Source    CUDA C++ Programming Guide, "Streams".
#include "kernels/chain/rungs/separate_launches.h"

namespace {

using namespace ridge;

Status launch(const Launch& launch) {
  return launch_steps<false>(launch, static_cast<float*>(launch.plan_state),
                             [] { return Status(); });
}

}  // namespace

RIDGE_KERNEL(chain, cuda, stream, .may_sync = true, .prepare = ridge::prepare_statistics,
             .launch = launch);
