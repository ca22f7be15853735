#include "worker/machine.h"

#include <algorithm>

#include "common/harness/measure/machine.h"

namespace ridge::worker {

Machine::Machine() {
  gpus_ = measure::list_gpus(&no_gpu_reason_);
}

Machine::Machine(std::vector<GpuInfo> gpus, std::string no_gpu_reason)
    : gpus_(std::move(gpus)), no_gpu_reason_(std::move(no_gpu_reason)) {}

int Machine::capability() const {
  int newest = 0;
  for (const GpuInfo& gpu : gpus_) newest = std::max(newest, gpu.capability);
  return newest;
}

Result<measure::Device*> Machine::device(Backend backend, int index) {
  if (backend == Backend::cpu) {
    if (cpu_ == nullptr) {
      RIDGE_TRY(cpu_, measure::make_cpu_device());
    }
    return cpu_.get();
  }
  auto& gpu = gpu_devices_[index];
  if (gpu == nullptr) {
    RIDGE_TRY(gpu, measure::make_cuda_device(index));
  }
  return gpu.get();
}

std::vector<std::string> Machine::disturbances() const {
  std::vector<std::string> all;
  for (const auto& [index, gpu] : gpu_devices_) {
    if (gpu == nullptr) continue;
    const auto some = gpu->disturbances();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace ridge::worker
