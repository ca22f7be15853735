// ridge: needs=jpeg
//
// Idea      Copies on a stream of their own, into one of two buffers on the device.
// Changed   The next batch crosses while this one is trained on.
// Limits    The longest of load, copy and step; two buffers cover one late batch.
// Look at   The lanes of copy and step, side by side now.
// Source    CUDA C++ Best Practices Guide, "Asynchronous and overlapping transfers".
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kAsyncCopy = {
    .by = LoadedBy::threads, .pinned = true, .copies_ahead = true, .device_buffers = 2};

RIDGE_PIPELINE(pipeline, cuda, async_copy, .maker = &kCudaLoader, .config = &kAsyncCopy);

}  // namespace
}  // namespace ridge
