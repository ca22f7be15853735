// ridge: needs=jpeg
//
// Idea      Two batches on the device: one is trained on while the next is copied by a thread of its own.
// Changed   Copy and step overlap.
// Limits    The longer of the two, and the cores; one slow copy empties the second buffer.
// Look at   The lanes of copy and step: they overlap.
// Source    Double buffering: one buffer is filled while the other is used.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kDoubleBuffer = {
    .by = LoadedBy::threads, .copies_ahead = true, .device_buffers = 2};

RIDGE_PIPELINE(pipeline, cpu, double_buffer, .maker = &kCpuLoader, .config = &kDoubleBuffer);

}  // namespace
}  // namespace ridge
