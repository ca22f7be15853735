// ridge: arch=75
#include "kernels/runtime/cuda/upload.h"

#include "common/harness/kernel/cuda_check.h"

namespace ridge::device {

Status copy_and_wait(void* to, const void* from, size_t bytes) {
  RIDGE_CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
  RIDGE_CUDA_CHECK(cudaDeviceSynchronize());
  return {};
}

Status upload(const void* host, size_t bytes, void** device) {
  RIDGE_CUDA_CHECK(cudaMalloc(device, bytes));
  return copy_and_wait(*device, host, bytes);
}

}  // namespace ridge::device
