// ridge: needs=jpeg
//
// Idea      Everything overlapped: workers share a batch, image by image, so that all cores load
//           the batch that is needed next.
// Changed   A batch is ready after a share of one worker's time; fewer buffers are filled at once.
//           Workers run at a lower priority: a step that waits for a core keeps a whole team waiting.
// Limits    The slowest stage alone, or all CPU work divided by the cores: the larger of the two is
//           the bound that the result is held against.
// Look at   The ratio to that bound. Nothing but less work gets below 1.
// Source    The pipeline model: throughput is that of the slowest stage.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kOverlapped = {.by = LoadedBy::threads,
                                .share_batch = true,
                                .gives_way = true,
                                .carried = Carried::pixels,
                                .copies_ahead = true,
                                .device_buffers = 0};

RIDGE_PIPELINE(pipeline, cpu, overlapped, .maker = &kCpuLoader, .config = &kOverlapped);

}  // namespace
}  // namespace ridge
