// Copies between host and device that are over when they return. cudaMemcpy of a small block from ordinary memory
// may return while it is under way, and the harness launches on a stream of its own, which waits for nobody: one
// convolution in 400 shapes ran ahead of its filters.
#pragma once

#include "common/harness/kernel/kernel.h"

namespace ridge::device {

/// In either direction. For prepare(), not for what is timed: it waits for the whole device.
Status copy_and_wait(void* to, const void* from, size_t bytes);

/// `bytes` of the host's in device memory of their own; *device is the caller's to free, after an error too.
Status upload(const void* host, size_t bytes, void** device);

}  // namespace ridge::device
