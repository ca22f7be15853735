// NVML, the driver's monitoring library, loaded at run time: its header is not in every toolkit and
// the library comes with the driver, so what is used of it is declared here.
//
// What its figures are worth (seen on an H200): a call costs 0.3 us; power, clocks and utilization
// are renewed every 100-200 ms; power is a 1 s average; the SM clock reads up to 11 % high under
// tensor load, which is why samples carry their own clock from stamp kernels instead.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge::measure {

class Nvml {
 public:
  /// The GPU at this PCI address ("0000:1b:00.0"); null where there is no NVML.
  static std::unique_ptr<Nvml> open(const std::string& pci_bus_id);
  ~Nvml();

  /// Adds sm_clock_hz, memory_clock_hz, temp_c, power_w, gpu_busy and gpu_memory_busy (0 to 1),
  /// gpu_memory_bytes (in use, by anybody), and in words what holds the clock down; only what the
  /// driver gives. Asked again within 80 ms it repeats itself.
  void read(TelemetryPoint* point);
  /// Of the whole GPU since the driver was loaded; absent before Volta. A call takes 2 ms (p99 17):
  /// never inside a sample.
  std::optional<double> energy_j() const;
  /// What makes a measurement doubtful now, one phrase each: other processes, thermal slow-down.
  std::vector<std::string> disturbances() const;

  /// "580.159.04"; empty where there is no NVML.
  static std::string driver_version();

 private:
  Nvml() = default;
  void add_values(TelemetryPoint* point) const;
  void* device_ = nullptr;
  std::mutex mutex_;
  TelemetryPoint last_;
  std::optional<std::chrono::steady_clock::time_point> read_at_;
};

}  // namespace ridge::measure
