// Stands in for common/harness/measure/cuda/ in a build without CUDA.
#ifndef RIDGE_HAS_CUDA

#include "common/core/build_info.h"
#include "common/harness/measure/device.h"

namespace ridge::measure {
namespace {

/// "none: nvcc was not found" of the build, as the end of a sentence.
std::string why() {
  const std::string cuda = build_info().cuda;
  const std::string prefix = "none: ";
  return cuda.rfind(prefix, 0) == 0 ? cuda.substr(prefix.size()) : cuda;
}

}  // namespace

Result<std::unique_ptr<Device>> make_cuda_device(int) {
  return Error{ErrorCode::unavailable, "this worker was built without CUDA (" + why() + ")", "GPU",
               "install the CUDA toolkit, 12.8 or later, and build again"};
}

std::vector<GpuInfo> list_gpus(std::string* no_gpu_reason) {
  *no_gpu_reason = "built without CUDA: " + why();
  return {};
}

}  // namespace ridge::measure

#endif
