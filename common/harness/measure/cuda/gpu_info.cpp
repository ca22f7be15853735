// list_gpus(): what the CUDA runtime says is there, without creating a context.
#include <cuda_runtime_api.h>

#include "common/harness/measure/cuda/nvml.h"
#include "common/harness/measure/device.h"

namespace ridge::measure {
namespace {

/// 13000 -> "13.0"
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string no_gpu_sentence(cudaError_t error, int driver) {
  if (error == cudaErrorNoDevice) return "no NVIDIA GPU is visible to this process";
  if (error == cudaErrorInsufficientDriver) {
    if (driver == 0) return "no NVIDIA driver is installed";
    return "the NVIDIA driver knows CUDA " + version_text(driver) + " only, this build needs " +
           version_text(CUDART_VERSION) + ": update the driver";
  }
  return std::string("CUDA could not start: ") + cudaGetErrorString(error);
}

}  // namespace

std::vector<GpuInfo> list_gpus(std::string* no_gpu_reason) {
  int count = 0, driver = 0, runtime = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  cudaGetLastError();
  cudaDriverGetVersion(&driver);
  if (error != cudaSuccess || count == 0) {
    if (no_gpu_reason)
      *no_gpu_reason = no_gpu_sentence(error == cudaSuccess ? cudaErrorNoDevice : error, driver);
    return {};
  }
  cudaRuntimeGetVersion(&runtime);
  const std::string nvml_version = Nvml::driver_version();

  std::vector<GpuInfo> gpus;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
    GpuInfo gpu;
    gpu.index = i;
    gpu.name = properties.name;
    gpu.capability = properties.major * 10 + properties.minor;
    gpu.sm_count = properties.multiProcessorCount;
    gpu.l2_bytes = properties.l2CacheSize;
    gpu.memory_bytes = static_cast<int64_t>(properties.totalGlobalMem);
    int clock_khz = 0;  // cudaDeviceProp lost its clockRate in CUDA 13; the attribute stayed
    if (cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, i) == cudaSuccess)
      gpu.max_clock_hz = clock_khz * 1e3;
    gpu.driver = nvml_version.empty() ? "CUDA " + version_text(driver) : nvml_version;
    gpu.runtime = version_text(runtime);
    gpus.push_back(gpu);
  }
  return gpus;
}

}  // namespace ridge::measure
