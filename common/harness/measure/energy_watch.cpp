#include "common/harness/measure/energy_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/core/format.h"
#include "common/harness/measure/harness.h"

namespace ridge::measure {
namespace {

/// RAPL is renewed about every millisecond, and a GPU's counter takes 2 ms to read: with this pause a
/// tick of either is known to a few milliseconds, at well under 1 % of a core for RAPL.
constexpr auto kPause = std::chrono::milliseconds(1);

}  // namespace

void EnergyWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

int EnergyWatch::ticks() const {
  const std::lock_guard lock(mutex_);
  return ticks_;
}

std::vector<EnergyReading> EnergyWatch::readings() const {
  const std::lock_guard lock(mutex_);
  return readings_;
}

void EnergyWatch::loop() {
  for (;; std::this_thread::sleep_for(kPause)) {
    EnergyReading reading{.begin_s = now_s()};
    const auto value = meter_->read();
    reading.end_s = now_s();
    const std::lock_guard lock(mutex_);
    if (ending_ || !value) return;
    reading.value = *value;
    ticks_ += !readings_.empty() && readings_.back().value != *value;
    readings_.push_back(reading);
  }
}

Result<EnergySlope> slope_between_ticks(std::span<const EnergyReading> readings, double from_s,
                                        double to_s) {
  struct Tick {
    double t_s = 0, uncertain_s = 0, energy_j = 0;
  };
  std::vector<Tick> ticks;
  for (size_t i = 1; i < readings.size(); ++i) {
    const EnergyReading &before = readings[i - 1], &now = readings[i];
    if (!(now.value > before.value)) continue;
    if (before.begin_s < from_s || now.end_s > to_s) continue;
    ticks.push_back(
        {(before.begin_s + now.end_s) / 2, (now.end_s - before.begin_s) / 2, now.value});
  }
  const auto too_few = [&] {
    return Error{ErrorCode::unavailable,
                 "the counter moved " + std::to_string(ticks.size()) + " times in " +
                     format_time_ns((to_s - from_s) * 1e9),
                 "energy", "a longer limit leaves more room"};
  };
  if (ticks.size() < 2) return too_few();
  const Tick &first = ticks.front(), &last = ticks.back();
  EnergySlope slope;
  const double window_s = last.t_s - first.t_s;
  slope.error = (first.uncertain_s + last.uncertain_s) / window_s;
  if (!(slope.error < 0.5)) return too_few();
  slope.power_w = (last.energy_j - first.energy_j) / window_s;
  slope.period_s = window_s / double(ticks.size() - 1);
  return slope;
}

EnergyWatches::EnergyWatches(std::vector<std::unique_ptr<EnergyMeter>> meters)
    : meters_(std::move(meters)) {
  for (const auto& meter : meters_)
    watches_.push_back(std::make_unique<EnergyWatch>(meter.get()));
}

void EnergyWatches::stop() {
  for (const auto& watch : watches_) watch->stop();
}

int EnergyWatches::ticks() const {
  int least = watches_.front()->ticks();
  for (const auto& watch : watches_) least = std::min(least, watch->ticks());
  return least;
}

std::string EnergyWatches::source() const {
  const std::string one = meters_.front()->source();
  return meters_.size() == 1 ? one : one + "; the sum of " + std::to_string(meters_.size());
}

Result<EnergySlope> EnergyWatches::slope(double from_s, double to_s, int64_t devices) const {
  EnergySlope sum;
  double error_w = 0;
  for (size_t i = 0; i < size_t(devices); ++i) {
    const std::vector<EnergyReading> readings = watches_.at(i)->readings();
    RIDGE_TRY(const EnergySlope own, slope_between_ticks(readings, from_s, to_s));
    sum.power_w += own.power_w;
    error_w += own.power_w * own.error;
    sum.period_s = std::max(sum.period_s, own.period_s);
  }
  sum.error = error_w / sum.power_w;
  return sum;
}

}  // namespace ridge::measure
