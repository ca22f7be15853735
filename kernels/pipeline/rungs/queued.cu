// ridge: needs=jpeg
//
// Idea      The next step is queued while this one runs, and so is the next copy: the GPU goes from one to
//           the other by itself.
// Changed   The host waits for a step only after it has launched the one behind it. Waking up and
//           launching, which the GPU waited for at every step, now happen while it works.
// Limits    The step alone, which is measured with the same queue of two.
// Look at   The ratio to the bound, here and on the rung before: the gap between two steps is gone.
// Source    CUDA C++ Programming Guide, "Asynchronous Concurrent Execution".
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kQueued = {.from = ImageFrom::memory,
                            .by = LoadedBy::threads,
                            .share_batch = true,
                            .gives_way = true,
                            .carried = Carried::number,
                            .pinned = true,
                            .copies_ahead = true,
                            .queues_ahead = true,
                            .device_buffers = 0};

RIDGE_PIPELINE(pipeline, cuda, queued, .maker = &kCudaLoader, .config = &kQueued);

}  // namespace
}  // namespace ridge
