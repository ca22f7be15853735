#include "common/record/telemetry.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ridge {
namespace {

/// The run that `moment` is in; null: it is before all of them.
template <class Run>
const Run* run_of(const std::vector<Run>& runs, size_t moment) {
  const auto after =
      std::upper_bound(runs.begin(), runs.end(), moment,
                       [](size_t wanted, const Run& run) { return wanted < run.moment; });
  return after == runs.begin() ? nullptr : &*std::prev(after);
}

}  // namespace

void Telemetry::Column::add(uint32_t moment, double value) {
  const bool follows =
      !runs.empty() && runs.back().moment + (values.size() - runs.back().at) == moment;
  if (!follows) runs.push_back({moment, static_cast<uint32_t>(values.size())});
  values.push_back(value);
}

double Telemetry::Column::of(size_t moment) const {
  const Run* run = run_of(runs, moment);
  if (run == nullptr) return NAN;
  const size_t at = run->at + (moment - run->moment);
  const size_t end = run == &runs.back() ? values.size() : std::next(run)->at;
  return at < end ? values[at] : NAN;
}

void Telemetry::add(const TelemetryPoint& point) {
  const size_t moment = size();
  for (const auto& [name, value] : point.values)
    readings_[name].add(static_cast<uint32_t>(moment), value);
  if (core_runs_.empty() || core_runs_.back().cores != point.core_busy.size())
    core_runs_.push_back({moment, core_busy_.size(), point.core_busy.size()});
  for (const double busy : point.core_busy) core_busy_.push_back(busy);
  const auto [known, is_new] =
      reasons_index_.try_emplace(point.throttle, static_cast<uint32_t>(reasons_.size()));
  if (is_new) reasons_.push_back(point.throttle);
  if (throttle_.empty() || throttle_.back().reasons != known->second)
    throttle_.push_back({moment, known->second});
  t_s_.push_back(point.t_s);
}

double Telemetry::reading(size_t i, std::string_view name) const {
  const auto column = readings_.find(name);
  return column == readings_.end() ? NAN : column->second.of(i);
}

std::vector<float> Telemetry::core_busy(size_t i) const {
  const CoreRun& run = *run_of(core_runs_, i);
  const size_t at = run.at + (i - run.moment) * run.cores;
  std::vector<float> busy;
  busy.reserve(run.cores);
  for (size_t core = 0; core < run.cores; ++core)
    busy.push_back(static_cast<float>(core_busy_[at + core]));
  return busy;
}

const std::vector<std::string>& Telemetry::throttle(size_t i) const {
  return reasons_[run_of(throttle_, i)->reasons];
}

TelemetryPoint Telemetry::operator[](size_t i) const {
  TelemetryPoint point;
  point.t_s = t_s(i);
  for (const auto& [name, column] : readings_) {
    if (const double value = column.of(i); std::isfinite(value)) point.values[name] = value;
  }
  const std::vector<float> busy = core_busy(i);
  point.core_busy.assign(busy.begin(), busy.end());
  point.throttle = throttle(i);
  return point;
}

std::vector<std::string> Telemetry::names() const {
  std::vector<std::string> names;
  for (const auto& entry : readings_) names.push_back(entry.first);
  return names;
}

}  // namespace ridge
