// ridge: needs=jpeg
//
// Idea      Everything overlapped: workers share a batch, image by image, so that all cores load
//           the batch that is needed next.
// Changed   One batch is filled at a time, by all workers, so fewer buffers are needed.
//           Workers run at a lower priority: a step that waits for a core keeps a whole team waiting.
// Limits    The slowest stage alone, or all CPU work divided by the cores: the larger of the two is
//           the bound that the result is held against.
// Look at   How many times its bound it takes. Only less work, which lowers the bound, is faster.
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
