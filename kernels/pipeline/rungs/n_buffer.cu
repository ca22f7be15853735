// ridge: needs=jpeg
//
// Idea      As many batches on the device as `buffers` says.
// Changed   What was copied ahead covers a stage that is late once.
// Limits    The slowest stage's average: buffers make nothing faster.
// Look at   Queue depths: full before the slowest stage, empty behind it.
// Source    Bounded queues; Little's law for how many are of use.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kNBuffer = {
    .by = LoadedBy::threads, .pinned = true, .copies_ahead = true, .device_buffers = 0};

RIDGE_PIPELINE(pipeline, cuda, n_buffer, .maker = &kCudaLoader, .config = &kNBuffer);

}  // namespace
}  // namespace ridge
