// The machine as the worker knows it: its GPUs, the devices that were made, and what measurements on them
// share. Lives as long as the worker.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/measure/device.h"
#include "common/harness/measure/harness.h"

namespace ridge::worker {

class Machine {
 public:
  /// Looks for GPUs.
  Machine();
  /// With these, for tests.
  Machine(std::vector<GpuInfo> gpus, std::string no_gpu_reason);

  const std::vector<GpuInfo>& gpus() const { return gpus_; }
  const std::string& no_gpu_reason() const { return no_gpu_reason_; }
  /// Of the newest GPU: 90; 0 without.
  int capability() const;

  /// Made when it is first asked for. `index` of a GPU; the CPU has none.
  Result<measure::Device*> device(Backend backend, int index);
  /// What disturbs the devices that were made, one sentence each.
  std::vector<std::string> disturbances() const;

  measure::Bench bench;

 private:
  std::vector<GpuInfo> gpus_;
  std::string no_gpu_reason_;
  std::unique_ptr<measure::Device> cpu_;
  std::map<int, std::unique_ptr<measure::Device>> gpu_devices_;
};

}  // namespace ridge::worker
