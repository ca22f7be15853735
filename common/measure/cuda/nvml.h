// NVML, the driver's monitoring library, loaded at run time: its header is not in every toolkit and
// the library comes with the driver, so what is used of it is declared here.
//
// What its figures are worth (seen on an H200): a call costs 0.3 us; power, clocks and utilization
// are renewed every 100-200 ms; power is a 1 s average; the SM clock reads up to 11 % high under
// tensor load, which is why samples carry their own clock from stamp kernels instead.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ridge::measure {

class Nvml {
 public:
  /// The GPU at this PCI address ("0000:1b:00.0"); null where there is no NVML.
  static std::unique_ptr<Nvml> open(const std::string& pci_bus_id);
  ~Nvml();

  /// sm_clock_hz, memory_clock_hz, temp_c, power_w, gpu_busy (0 to 1), power_capped (0 or 1); only
  /// what the driver gives. Asked more often than 10 times a second it repeats the last reading.
  std::map<std::string, double> read();
  /// What makes a measurement doubtful now, one phrase each: other processes, thermal slow-down.
  std::vector<std::string> disturbances() const;

  /// "580.159.04"; empty where there is no NVML.
  static std::string driver_version();

 private:
  Nvml() = default;
  void* device_ = nullptr;
  std::mutex mutex_;
  std::map<std::string, double> last_;
  std::optional<std::chrono::steady_clock::time_point> read_at_;
};

}  // namespace ridge::measure
