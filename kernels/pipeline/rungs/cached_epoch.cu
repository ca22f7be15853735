// ridge: needs=jpeg
//
// Idea      Decode once, keep the pixels in memory: from the second epoch on there is nothing to decode.
// Changed   Less work, where every rung before only shared it out.
// Limits    Memory, ten times that of the files; then the host's copies into the batch, or the step.
// Look at   Which stage binds now.
// Source    tf.data's cache(); a file set of raw pixels does the same on disk.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kCachedEpoch = {.from = ImageFrom::memory,
                                 .by = LoadedBy::threads,
                                 .share_batch = true,
                                 .gives_way = true,
                                 .carried = Carried::pixels,
                                 .pinned = true,
                                 .copies_ahead = true,
                                 .device_buffers = 0};

RIDGE_PIPELINE(pipeline, cuda, cached_epoch, .maker = &kCudaLoader, .config = &kCachedEpoch);

}  // namespace
}  // namespace ridge
