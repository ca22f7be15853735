// Where energy is read: RAPL counters of the CPU packages (Linux powercap), a GPU's own counter
// (common/harness/measure/cuda/nvml.h), or the discharge power of a battery where that is all there is.
// Source: Linux kernel, Documentation/power/powercap/powercap.rst and
// Documentation/ABI/testing/sysfs-class-power.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/core/result.h"

namespace ridge::measure {

/// Used by one thread at a time.
class EnergyMeter {
 public:
  virtual ~EnergyMeter() = default;
  /// What it counts, and whose work that includes: "RAPL, whole package, others included".
  virtual std::string source() const = 0;
  /// A counter reads joules since some moment and never falls (wrap-around is undone). The other
  /// kind reads watts, renewed at a rate that nobody states: good for a strip, coarse as energy.
  virtual bool is_counter() const { return true; }
  virtual std::optional<double> read() = 0;
};

/// RAPL of all packages under `root`/sys/class/powercap. Error unavailable: there is none, or it may
/// not be read; the hint is the command that changes this.
Result<std::unique_ptr<EnergyMeter>> open_rapl(const std::string& root);
/// Batteries that are discharging under `root`/sys/class/power_supply, those of mice left out.
Result<std::unique_ptr<EnergyMeter>> open_battery(const std::string& root);
/// RAPL, else the battery; with neither, the reason is RAPL's.
Result<std::unique_ptr<EnergyMeter>> open_host_meter(const std::string& root);

}  // namespace ridge::measure
