// The harness's own small kernels: the gate that holds a stream until a block of work is queued, the
// stamps around each sample, the null kernel, the cache flush and the pattern fill.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace ridge::measure {

/// What the host and a waiting gate share; lives in mapped host memory.
struct GateFlags {
  volatile uint32_t opened = 0;     ///< the host writes a ticket here to let that gate pass
  volatile uint32_t timed_out = 0;  ///< the gate writes its ticket here when it gave up waiting
};

/// One moment on the device. clock64() counts one SM's cycles and differs between SMs, so two stamps
/// make a clock rate only if `sm` is equal.
struct Stamp {
  uint64_t cycles = 0;
  uint64_t time_ns = 0;  ///< globaltimer; steps of 32 ns on data-centre GPUs, 1 us on others
  uint32_t sm = 0;
  uint32_t pad = 0;
};

/// Each enqueues one kernel on `stream` and returns the launch's error.
cudaError_t launch_gate(GateFlags* flags, uint32_t ticket, uint64_t timeout_ns,
                        cudaStream_t stream);
cudaError_t launch_stamp(Stamp* to, cudaStream_t stream);
cudaError_t launch_null(cudaStream_t stream);
/// Starts while the kernel before it ends, and lets the next one do so: needs Hopper.
cudaError_t launch_overlapping_null(cudaStream_t stream);
/// Reads `bytes` (a multiple of 16) and keeps nothing: what was in the L2 before is gone after.
/// Reading and not writing: dirty lines would still be travelling during the timed call (+17-31 %).
cudaError_t launch_flush(const void* memory, size_t bytes, uint32_t* never_written,
                         cudaStream_t stream);
/// Byte i becomes byte i % 4 of `pattern`; any address, any length.
cudaError_t launch_fill(void* to, uint32_t pattern, size_t bytes, cudaStream_t stream);

}  // namespace ridge::measure
