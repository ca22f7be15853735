#include "common/harness/measure/energy_pass.h"

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/harness/measure/energy_watch.h"

namespace ridge::measure {
namespace {

constexpr double kUnlike = 0.1;  ///< a time per call that differs by more is mentioned
constexpr int kTicks = 10;       ///< wanted of a counter; a slow one gets up to kLongest_s
constexpr double kLongest_s = 3;
constexpr double kChunk_ns = 50e6;  ///< calls between two looks at the clock and at cancel

Result<double> mean_between(std::span<const EnergyReading> readings, double from_s, double to_s) {
  double sum = 0;
  int count = 0;
  for (const EnergyReading& reading : readings) {
    if (reading.begin_s < from_s || reading.end_s > to_s) continue;
    sum += reading.value;
    ++count;
  }
  if (count == 0) return Error{ErrorCode::unavailable, "the meter gave no reading", "energy", ""};
  return sum / count;
}

/// What a pass saw, as figures of the series.
Result<void> settle_energy(const EnergyWatches& watches, double from_s, double to_s, double calls,
                           Series* series) {
  const double call_s = (to_s - from_s) / calls;
  if (!watches.is_counter()) {
    RIDGE_TRY(const double power_w, mean_between(watches.readings(), from_s, to_s));
    series->energy_j = power_w * call_s;
    series->energy_source = watches.source();
    series->unavailable["energy_error_j"] =
        "a battery states its power, and nobody how often it is renewed";
    return {};
  }
  RIDGE_TRY(const EnergySlope slope, watches.slope(from_s, to_s));
  series->energy_j = slope.power_w * call_s;
  series->energy_error_j = *series->energy_j * slope.error;
  series->energy_source =
      watches.source() + ", renewed every " + format_time_ns(slope.period_s * 1e9);
  // The pass is charged as it ran; where that was not how the timing ran, the reader should know.
  const double median_s = series->stats ? series->stats->median_ns * 1e-9 : call_s;
  if (!(std::fabs(call_s / median_s - 1) <= kUnlike)) {
    series->energy_source += "; at " + format_time_ns(call_s * 1e9) + " a call in this pass";
  }
  return {};
}

}  // namespace

Result<void> energy_pass(Device* device, double call_ns, const EnergyChunk& chunk,
                         const Options& options, Series* series, Observer* observer) {
  std::string& reason = series->unavailable["energy_j"];
  if (options.cache == Cache::cold) {
    reason = "with cold caches the flush before each call would be counted too";
    return {};
  }
  auto meters = device->energy_meters(options.devices);
  if (!meters) {
    reason = meters.error().sentence();
    return {};
  }
  const double window_s = std::min(kEnergyWindow_s, options.limit_s.value_or(kEnergyWindow_s));
  const double longest_s = std::min(kLongest_s, options.limit_s.value_or(kLongest_s));
  observer->phase(series->index, {.phase = "energy",
                                  .text = "energy, back to back",
                                  .left_s = window_s + kEnergyLeadIn_s});
  observer->announce(series->index);
  EnergyWatches watches(*std::move(meters));
  const double start_s = now_s();
  const double lead_in_s =
      call_ns * 1e-9 > kEnergyLeadIn_s ? 0 : std::min(kEnergyLeadIn_s, window_s);
  while (now_s() - start_s < lead_in_s) RIDGE_TRY_VOID(chunk());
  int64_t calls = 0;
  const double from_s = now_s();
  double spent_s = 0;
  while (spent_s < window_s || (watches.ticks() < kTicks && spent_s < longest_s)) {
    if (observer->cancelled()) return cancelled_error();
    RIDGE_TRY(const int64_t done, chunk());
    calls += done;
    spent_s = now_s() - from_s;
  }
  watches.stop();
  const auto settled =
      settle_energy(watches, from_s, from_s + spent_s, double(calls), series);
  if (settled) {
    series->unavailable.erase("energy_j");
  } else {
    reason = settled.error().sentence();
  }
  gap();
  return {};
}

Result<void> energy_pass(const ReadyRung& rung, const Options& options, double call_ns,
                         Series* series, Observer* observer) {
  const Side side = rung.plain_side(options.cache);
  const auto some = static_cast<int64_t>(std::clamp(kChunk_ns / std::max(call_ns, 1.0), 1.0, 1e6));
  const auto chunk = [&]() -> Result<int64_t> {
    RIDGE_TRY_VOID(rung.device->repeat(side, some));
    return some;
  };
  return energy_pass(rung.device, call_ns, chunk, options, series, observer);
}

double predict_energy_s(Device* device, const Options& options) {
  return options.has_energy() && device != nullptr && device->energy_meters(options.devices).ok()
             ? kEnergyLeadIn_s + kEnergyWindow_s
             : 0;
}

}  // namespace ridge::measure
