#include "common/harness/measure/host_telemetry.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "common/harness/measure/harness.h"
#include "common/harness/measure/machine.h"

namespace ridge::measure {
namespace {

/// Asking a battery wakes the machine's controller and may take milliseconds; it knows nothing new
/// within a second.
constexpr double kBatteryEvery_s = 1;

double rounded_share(double share) {
  return std::round(share * 100) / 100;
}

}  // namespace

HostTelemetry::HostTelemetry(std::string root) : root_(std::move(root)) {
  if (auto rapl = open_rapl(root_)) {
    rapl_ = *std::move(rapl);
    energy_j_ = rapl_->read();
  }
  busy_s_ = cpu_busy_s(root_);
  own_s_ = own_cpu_s();
  t_s_ = now_s();
}

void HostTelemetry::read_cpus(double elapsed_s, TelemetryPoint* point) {
  const double own_s = own_cpu_s(), own = own_s - own_s_;
  own_s_ = own_s;
  point->values["process_cpus"] = rounded_share(own / elapsed_s);
  std::vector<double> busy_s = cpu_busy_s(root_);
  std::swap(busy_s, busy_s_);
  if (busy_s_.empty() || busy_s.size() != busy_s_.size()) return;  // a core came or went
  const double others = busy_s_.front() - busy_s.front() - own;
  point->values["foreign_cpus"] = rounded_share(std::max(0.0, others / elapsed_s));
  for (size_t i = 1; i < busy_s_.size(); ++i) {
    point->core_busy.push_back(
        rounded_share(std::clamp((busy_s_[i] - busy_s[i]) / elapsed_s, 0.0, 1.0)));
  }
}

void HostTelemetry::read_memory(TelemetryPoint* point) const {
  std::ifstream file(root_ + "/proc/self/statm");
  double all_pages = 0, resident_pages = 0;
  if (file >> all_pages >> resident_pages) {
    point->values["process_memory_bytes"] = resident_pages * double(sysconf(_SC_PAGESIZE));
  }
}

void HostTelemetry::read_power(double elapsed_s, TelemetryPoint* point) {
  if (rapl_) {
    const auto energy_j = rapl_->read();
    if (energy_j && energy_j_) {
      point->values["package_power_w"] = rounded_share((*energy_j - *energy_j_) / elapsed_s);
    }
    energy_j_ = energy_j;
  }
  if (battery_at_s_ < 0 || point->t_s - battery_at_s_ >= kBatteryEvery_s) {
    battery_at_s_ = point->t_s;
    const auto battery = open_battery(root_);
    battery_w_ = battery ? (*battery)->read() : std::nullopt;
  }
  if (battery_w_) point->values["battery_power_w"] = *battery_w_;
}

TelemetryPoint HostTelemetry::read() {
  TelemetryPoint point;
  point.t_s = now_s();
  const double elapsed_s = std::max(1e-3, point.t_s - t_s_);
  t_s_ = point.t_s;
  read_cpus(elapsed_s, &point);
  read_memory(&point);
  read_power(elapsed_s, &point);
  return point;
}

}  // namespace ridge::measure
