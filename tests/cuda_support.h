// What the CUDA tests share: the GPU, memory on it, and a kernel of known work.
#pragma once

#include <cuda_runtime_api.h>

#include "common/harness/kernel/cuda_check.h"
#include "common/harness/measure/cuda/harness_kernels.h"
#include "common/harness/measure/device.h"
#include "tests/catch.h"
#include "tests/skip.h"

namespace ridge::measure {

/// The first GPU; null, with the reason printed, where there is none.
inline Device* gpu() {
  static Result<std::unique_ptr<Device>> device = make_cuda_device(0);
  if (device) return device->get();
  RIDGE_SKIP_NOTE(device.error().sentence());
  return nullptr;
}

inline int capability() {
  std::string reason;
  return list_gpus(&reason).at(0).capability;
}

inline cudaStream_t stream_of(const Launch& launch) {
  return static_cast<cudaStream_t>(launch.stream);
}

/// A kernel of known work: fills dim[0] bytes at buffers[0].
inline Status launch_fill_kernel(const Launch& launch) {
  RIDGE_CUDA_CHECK(launch_fill(launch.buffers[0], 0x3f800000u,
                               static_cast<size_t>(launch.shape.dim[0]), stream_of(launch)));
  return {};
}
inline const KernelDesc kFill = {
    .id = "test.cuda.fill", .backend = Backend::cuda, .launch = launch_fill_kernel};

/// Device memory for one test.
struct Block {
  explicit Block(Device* owner, size_t bytes) : device(owner) {
    auto memory = device->allocate(bytes);
    REQUIRE(memory.ok());
    pointer = *memory;
  }
  ~Block() { device->release(pointer); }
  Launch launch(Device* on, size_t bytes) {
    Launch launch;
    launch.shape.dim[0] = static_cast<int64_t>(bytes);
    launch.buffers = &pointer;
    launch.stream = on->stream();
    return launch;
  }
  Device* device;
  void* pointer = nullptr;
};

}  // namespace ridge::measure
