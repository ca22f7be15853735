#include "common/record/telemetry.h"

#include <algorithm>
#include <cmath>

namespace ridge {

void Telemetry::add(const TelemetryPoint& point) {
  for (const auto& [name, value] : point.values) {
    Column& column = readings_[name];
    column.moments.push_back(static_cast<uint32_t>(size()));
    column.values.push_back(value);
  }
  core_busy_.insert(core_busy_.end(), point.core_busy.begin(), point.core_busy.end());
  cores_end_.push_back(core_busy_.size());
  const auto [known, is_new] =
      reasons_index_.try_emplace(point.throttle, static_cast<uint32_t>(reasons_.size()));
  if (is_new) reasons_.push_back(point.throttle);
  throttle_.push_back(known->second);
  t_s_.push_back(point.t_s);
}

double Telemetry::reading(size_t i, std::string_view name) const {
  const auto column = readings_.find(name);
  if (column == readings_.end()) return NAN;
  const std::vector<uint32_t>& moments = column->second.moments;
  const auto found = std::lower_bound(moments.begin(), moments.end(), i);
  if (found == moments.end() || *found != i) return NAN;
  return column->second.values[static_cast<size_t>(found - moments.begin())];
}

std::span<const float> Telemetry::core_busy(size_t i) const {
  const size_t begin = i == 0 ? 0 : cores_end_[i - 1];
  return {core_busy_.data() + begin, cores_end_[i] - begin};
}

TelemetryPoint Telemetry::operator[](size_t i) const {
  TelemetryPoint point;
  point.t_s = t_s(i);
  for (const auto& entry : readings_) {
    const std::string& name = entry.first;
    if (const double value = reading(i, name); std::isfinite(value)) point.values[name] = value;
  }
  point.core_busy.assign(core_busy(i).begin(), core_busy(i).end());
  point.throttle = throttle(i);
  return point;
}

}  // namespace ridge
