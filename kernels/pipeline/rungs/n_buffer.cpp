// ridge: needs=jpeg
//
// Idea      As many batches on the device as `buffers` says.
// Changed   What was made ahead covers a stage that is late once.
// Limits    Buffers even out; they make no stage faster. On average the slowest one still decides.
// Look at   Queue depths: which buffers stand full, which empty, and that more of them change little.
// Source    Bounded queues; Little's law for how many are of use.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kNBuffer = {.by = LoadedBy::threads, .copies_ahead = true, .device_buffers = 0};

RIDGE_PIPELINE(pipeline, cpu, n_buffer, .maker = &kCpuLoader, .config = &kNBuffer);

}  // namespace
}  // namespace ridge
