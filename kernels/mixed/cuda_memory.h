// Device memory of a training, and how its calls report: included by the files of cuda_trainer.cu alone.
#pragma once

#include "common/core/result.h"
#include "common/harness/kernel/cuda_check.h"

namespace ridge::mixed {

constexpr int kThreads = 256;

inline unsigned blocks_for(int64_t count) {
  return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}

inline Error error_of(const Status& status) {
  return {status.sticky ? ErrorCode::worker : ErrorCode::unavailable, status.what,
          status.expression != nullptr ? status.expression : "", ""};
}
#define RIDGE_TRY_STATUS(call) \
  if (const Status ridge_status = (call); !ridge_status.ok()) return error_of(ridge_status)
#define RIDGE_PASS(call) \
  if (const Status ridge_status = (call); !ridge_status.ok()) return ridge_status

class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(memory_); }
  Status make(int64_t bytes, double* total) {
    if (bytes == 0) return {};
    RIDGE_CUDA_CHECK(cudaMalloc(&memory_, static_cast<size_t>(bytes)));
    RIDGE_CUDA_CHECK(cudaMemset(memory_, 0, static_cast<size_t>(bytes)));
    *total += double(bytes);
    return {};
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
};

}  // namespace ridge::mixed
