// ridge: needs=jpeg
//
// Idea      Decode once, keep the pixels: from the second epoch on there is nothing to decode.
// Changed   Less work, where every rung before only shared it out: reading and decoding are a copy
//           from memory.
// Limits    Memory: an image takes ten times its file. And the step, which binds now.
// Look at   Which stage binds, and which did before: where that was the step, nothing is gained.
// Source    tf.data's cache(); a file set of raw pixels does the same on disk.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kCachedEpoch = {.from = ImageFrom::memory,
                                 .by = LoadedBy::threads,
                                 .share_batch = true,
                                 .gives_way = true,
                                 .carried = Carried::pixels,
                                 .copies_ahead = true,
                                 .device_buffers = 0};

RIDGE_PIPELINE(pipeline, cpu, cached_epoch, .maker = &kCpuLoader, .config = &kCachedEpoch);

}  // namespace
}  // namespace ridge
