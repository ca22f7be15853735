// Readings of this machine's CPUs, memory and power for `telemetry` lines, from /proc and /sys.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/harness/measure/energy_meter.h"
#include "common/record/types.h"

namespace ridge::measure {

class HostTelemetry {
 public:
  /// `root` stands before /proc and /sys: "" on a machine, a fixture's folder in a test.
  explicit HostTelemetry(std::string root = "");

  /// Means since the last call, or since this was made:
  ///   process_cpus          CPUs' worth of time that this worker and its peers took
  ///   foreign_cpus          the same of everybody else, steal included
  ///   package_power_w       RAPL, whole packages
  ///   core_busy             share of each logical core, 0 to 1
  /// and as they are now: process_memory_bytes, and battery_power_w while discharging. /proc/stat
  /// counts in ticks of 10 ms: at 10 Hz a share is known to 0.1.
  TelemetryPoint read();

 private:
  void read_cpus(double elapsed_s, TelemetryPoint* point);
  void read_memory(TelemetryPoint* point) const;
  void read_power(double elapsed_s, TelemetryPoint* point);

  std::string root_;
  std::unique_ptr<EnergyMeter> rapl_;  ///< null: none
  std::vector<double> busy_s_;
  double t_s_ = 0, own_s_ = 0;
  std::optional<double> energy_j_, battery_w_;
  double battery_at_s_ = -1;
};

}  // namespace ridge::measure
