#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "common/core/files.h"
#include "common/harness/measure/energy_meter.h"
#include "common/harness/measure/machine.h"

namespace ridge::measure {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPermit = "sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj";

/// The number in a file, or why there is none. errno tells a missing permission from a missing file,
/// which a stream does not.
Result<double> read_number(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  char text[64] = "";
  const ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
  const int error = errno;
  if (fd >= 0) close(fd);
  if (got < 0) return Error{ErrorCode::unavailable, strerror(error), path, ""};
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || !std::isfinite(value)) {
    return Error{ErrorCode::unavailable, "holds no number", path, ""};
  }
  return value;
}

class Rapl final : public EnergyMeter {
 public:
  struct Zone {
    std::string path;     ///< of energy_uj
    double range_uj = 0;  ///< where it starts again from 0; 0: unknown
    double last_uj = 0, total_uj = 0;
  };
  explicit Rapl(std::vector<Zone> zones) : zones_(std::move(zones)) {}

  std::string source() const override {
    return zones_.size() == 1
               ? "RAPL, whole package, others included"
               : "RAPL, all " + std::to_string(zones_.size()) + " packages whole, others included";
  }
  std::optional<double> read() override {
    double total_uj = 0;
    for (Zone& zone : zones_) {
      const auto now_uj = read_number(zone.path);
      if (!now_uj) return std::nullopt;
      double step_uj = *now_uj - zone.last_uj;
      if (step_uj < 0) step_uj += zone.range_uj;
      if (step_uj < 0) return std::nullopt;  // fell without having wrapped: no counter
      zone.last_uj = *now_uj;
      zone.total_uj += step_uj;
      total_uj += zone.total_uj;
    }
    return total_uj * 1e-6;
  }

 private:
  std::vector<Zone> zones_;
};

class Battery final : public EnergyMeter {
 public:
  explicit Battery(std::vector<std::string> folders) : folders_(std::move(folders)) {}
  std::string source() const override {
    return "battery discharge, coarse: the whole machine, display included";
  }
  bool is_counter() const override { return false; }
  std::optional<double> read() override {
    double power_w = 0;
    for (const std::string& folder : folders_) {
      if (const auto power_uw = read_number(folder + "/power_now")) {
        power_w += std::fabs(*power_uw) * 1e-6;  // some drivers count discharging below zero
        continue;
      }
      const auto current_ua = read_number(folder + "/current_now");
      const auto voltage_uv = read_number(folder + "/voltage_now");
      if (!current_ua || !voltage_uv) return std::nullopt;
      power_w += std::fabs(*current_ua * *voltage_uv) * 1e-12;
    }
    return power_w;
  }

 private:
  std::vector<std::string> folders_;
};

}  // namespace

Result<std::unique_ptr<EnergyMeter>> open_rapl(const std::string& root) {
  std::vector<Rapl::Zone> zones;
  for (const std::string folder : entries_of(root + "/sys/class/powercap")) {
    // Zones within a package (intel-rapl:0:0, its cores) are counted in it already.
    const std::string name = fs::path(folder).filename().string();
    if (name.rfind("intel-rapl:", 0) != 0 || std::count(name.begin(), name.end(), ':') != 1)
      continue;
    if (read_line_of(folder + "/name").rfind("package", 0) != 0) continue;
    Rapl::Zone zone{.path = folder + "/energy_uj"};
    const auto now_uj = read_number(zone.path);
    if (!now_uj) {
      return Error{ErrorCode::unavailable, "RAPL may not be read (" + now_uj.error().what + ")",
                   "energy counter of the CPU", kPermit};
    }
    zone.last_uj = *now_uj;
    const auto range_uj = read_number(folder + "/max_energy_range_uj");
    if (range_uj) zone.range_uj = *range_uj;
    zones.push_back(std::move(zone));
  }
  if (zones.empty()) {
    return Error{ErrorCode::unavailable,
                 "none: no RAPL package in /sys/class/powercap (virtual machines have none)",
                 "energy counter of the CPU", "on real hardware: sudo modprobe intel_rapl_msr"};
  }
  return std::unique_ptr<EnergyMeter>(new Rapl(std::move(zones)));
}

Result<std::unique_ptr<EnergyMeter>> open_battery(const std::string& root) {
  std::vector<std::string> folders;
  for (const std::string folder : entries_of(root + "/sys/class/power_supply")) {
    if (read_line_of(folder + "/type") != "Battery") continue;
    if (read_line_of(folder + "/scope") == "Device") continue;
    if (read_line_of(folder + "/status") == "Discharging") folders.push_back(folder);
  }
  auto battery = std::make_unique<Battery>(folders);
  if (folders.empty() || !battery->read()) {
    return Error{ErrorCode::unavailable, "no battery is discharging", "battery", ""};
  }
  return std::unique_ptr<EnergyMeter>(std::move(battery));
}

Result<std::unique_ptr<EnergyMeter>> open_host_meter(const std::string& root) {
  auto rapl = open_rapl(root);
  if (rapl) return rapl;
  auto battery = open_battery(root);
  return battery ? std::move(battery) : std::move(rapl);
}

}  // namespace ridge::measure
