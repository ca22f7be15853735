#include "common/harness/measure/cuda/nvml.h"
#include "common/core/shared_library.h"

#include <unistd.h>

#include <algorithm>

#include "common/core/shared_library.h"
#include "common/harness/measure/child.h"

namespace ridge::measure {
namespace {

// From NVIDIA's NVML API reference; every function returns 0 for success.
struct Utilization {
  unsigned gpu, memory;  // per cent of the last sampling period
};
struct Process {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};
constexpr int kClockSm = 1, kClockMemory = 2, kTemperatureGpu = 0, kInsufficientSize = 7;
struct Memory {
  unsigned long long total_bytes, free_bytes, used_bytes;
};
struct Reason {
  unsigned long long bit;
  const char* words;
  bool disturbs;  ///< not what a GPU at work does by itself
};
/// Bit 0x1, idle, holds nothing down.
constexpr Reason kReasons[] = {{0x2, "application clocks are set", false},
                               {0x4, "power cap", false},
                               {0x8, "hardware slow-down", true},
                               {0x10, "clocks synchronised with another GPU", false},
                               {0x20, "heat (driver)", true},
                               {0x40, "heat (hardware)", true},
                               {0x80, "power brake", true},
                               {0x100, "display clock setting", false}};
/// Renewed by the driver every 100-200 ms; a sampler at 10 Hz always finds a fresh reading.
constexpr auto kKeep = std::chrono::milliseconds(80);

struct Library : SharedLibrary {
  int (*init)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*handle_by_pci)(const char*, void**) = nullptr;
  int (*clock_mhz)(void*, int, unsigned*) = nullptr;
  int (*temperature_c)(void*, int, unsigned*) = nullptr;
  int (*power_mw)(void*, unsigned*) = nullptr;
  int (*utilization)(void*, Utilization*) = nullptr;
  int (*clock_reasons)(void*, unsigned long long*) = nullptr;
  int (*processes)(void*, unsigned*, Process*) = nullptr;
  int (*memory)(void*, Memory*) = nullptr;
  int (*energy_mj)(void*, unsigned long long*) = nullptr;
  bool ready = false;

  Library() {
    if (!open({"libnvidia-ml.so.1"})) return;
    find(&init, "nvmlInit_v2");
    find(&driver_version, "nvmlSystemGetDriverVersion");
    find(&handle_by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
    find(&clock_mhz, "nvmlDeviceGetClockInfo");
    find(&temperature_c, "nvmlDeviceGetTemperature");
    find(&power_mw, "nvmlDeviceGetPowerUsage");
    find(&utilization, "nvmlDeviceGetUtilizationRates");
    find(&clock_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    find(&processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    find(&memory, "nvmlDeviceGetMemoryInfo");
    find(&energy_mj, "nvmlDeviceGetTotalEnergyConsumption");
    ready = init && init() == 0;  // stays up for the life of the process
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

}  // namespace

std::unique_ptr<Nvml> Nvml::open(const std::string& pci_bus_id) {
  const Library& nvml = library();
  if (!nvml.ready || !nvml.handle_by_pci) return nullptr;
  std::unique_ptr<Nvml> result(new Nvml);
  if (nvml.handle_by_pci(pci_bus_id.c_str(), &result->device_) != 0) return nullptr;
  return result;
}

Nvml::~Nvml() = default;

void Nvml::add_values(TelemetryPoint* point) const {
  const Library& nvml = library();
  auto& values = point->values;
  unsigned value = 0;
  if (nvml.clock_mhz && nvml.clock_mhz(device_, kClockSm, &value) == 0)
    values["sm_clock_hz"] = value * 1e6;
  if (nvml.clock_mhz && nvml.clock_mhz(device_, kClockMemory, &value) == 0)
    values["memory_clock_hz"] = value * 1e6;
  if (nvml.temperature_c && nvml.temperature_c(device_, kTemperatureGpu, &value) == 0)
    values["temp_c"] = value;
  if (nvml.power_mw && nvml.power_mw(device_, &value) == 0) values["power_w"] = value * 1e-3;
  Utilization busy{};
  if (nvml.utilization && nvml.utilization(device_, &busy) == 0) {
    values["gpu_busy"] = busy.gpu * 0.01;
    values["gpu_memory_busy"] = busy.memory * 0.01;
  }
  Memory memory{};
  if (nvml.memory && nvml.memory(device_, &memory) == 0)
    values["gpu_memory_bytes"] = static_cast<double>(memory.used_bytes);
  unsigned long long reasons = 0;
  if (nvml.clock_reasons && nvml.clock_reasons(device_, &reasons) == 0) {
    for (const Reason& reason : kReasons)
      if (reasons & reason.bit) point->throttle.push_back(reason.words);
  }
}

void Nvml::read(TelemetryPoint* point) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (!read_at_ || now - *read_at_ >= kKeep) {
    read_at_ = now;
    last_ = {};
    add_values(&last_);
  }
  point->values.insert(last_.values.begin(), last_.values.end());
  point->throttle = last_.throttle;
}

std::optional<double> Nvml::energy_j() const {
  const Library& nvml = library();
  unsigned long long energy_mj = 0;
  if (!nvml.energy_mj || nvml.energy_mj(device_, &energy_mj) != 0) return std::nullopt;
  return static_cast<double>(energy_mj) * 1e-3;
}

std::vector<std::string> Nvml::disturbances() const {
  std::vector<std::string> found;
  const Library& nvml = library();
  unsigned long long reasons = 0;
  if (nvml.clock_reasons && nvml.clock_reasons(device_, &reasons) == 0) {
    for (const Reason& reason : kReasons)
      if ((reasons & reason.bit) && reason.disturbs)
        found.push_back(std::string("GPU slowed: ") + reason.words);
  }

  std::vector<Process> list(64);
  unsigned count = static_cast<unsigned>(list.size());
  const int rc = nvml.processes ? nvml.processes(device_, &count, list.data()) : -1;
  if (rc != 0 && rc != kInsufficientSize) return found;
  // This process, and a peer of its own that waits for its turn, disturb nobody.
  std::vector<pid_t> ours = children(true);
  ours.push_back(getpid());
  unsigned others = 0;
  bool own = false;
  for (unsigned i = 0; i < count && i < list.size(); ++i) {
    if (std::count(ours.begin(), ours.end(), static_cast<pid_t>(list[i].pid)) > 0)
      own = true;
    else
      ++others;
  }
  // In a container the driver knows them by the host's numbers: some of the others are us.
  if (!own) others -= std::min(others, static_cast<unsigned>(ours.size()));
  if (others > 0)
    found.push_back(std::to_string(others) +
                    (others == 1 ? " other process on the GPU" : " other processes on the GPU"));
  return found;
}

std::string Nvml::driver_version() {
  const Library& nvml = library();
  char text[96] = "";
  if (!nvml.ready || !nvml.driver_version || nvml.driver_version(text, sizeof text) != 0) return "";
  return text;
}

}  // namespace ridge::measure
