// ridge: needs=jpeg
//
// Idea      Two batches on the device: one is trained on while the next is copied by a thread of its own.
// Changed   Copy and step no longer take turns.
// Limits    The longer of the two, and the cores; one slow copy empties the second buffer.
// Look at   The lanes of copy and step: they overlap now.
// Source    Double buffering, as old as tape drives.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kDoubleBuffer = {
    .by = LoadedBy::threads, .copies_ahead = true, .device_buffers = 2};

RIDGE_PIPELINE(pipeline, cpu, double_buffer, .maker = &kCpuLoader, .config = &kDoubleBuffer);

}  // namespace
}  // namespace ridge
