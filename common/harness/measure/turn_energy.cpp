#include "common/harness/measure/turn_energy.h"

#include <algorithm>

#include "common/core/format.h"

namespace ridge::measure {
namespace {

constexpr double kTicksWait_s = 0.3;
constexpr double kTicksPerTurn = 10;

}  // namespace

TurnEnergy::TurnEnergy(Device* device, StepClock clock) : clock_(clock) {
  reason_ = "there is no device to ask";
  if (!device) return;
  auto meter = device->energy_meter();
  if (!meter) {
    reason_ = meter.error().sentence();
    return;
  }
  reason_ = "a battery states its power too seldom for turns";
  if (!(*meter)->is_counter()) return;
  meter_ = *std::move(meter);
  const auto tick_s = find_tick();
  tick_s_ = tick_s.value_or(0);
  reason_ = tick_s ? "" : "its energy counter does not move";
  if (!tick_s) meter_.reset();
}

std::optional<double> TurnEnergy::find_tick() {
  const double start_s = clock_();
  auto last = meter_->read();
  std::optional<double> first_s;
  while (last && clock_() - start_s < kTicksWait_s) {
    const auto value = meter_->read();
    if (!value) break;
    if (*value == *last) continue;
    last = value;
    const double at_s = clock_();
    if (first_s) return at_s - *first_s;
    first_s = at_s;
  }
  return std::nullopt;
}

void TurnEnergy::begin() {
  if (!meter_) return;
  begin_j_ = meter_->read().value_or(begin_j_);
  begin_s_ = clock_();
}

void TurnEnergy::end(int64_t steps) {
  if (!meter_ || steps == 0) return;
  const double turn_s = clock_() - begin_s_;
  shortest_s_ = steps_ == 0 ? turn_s : std::min(shortest_s_, turn_s);
  joules_ += meter_->read().value_or(begin_j_) - begin_j_;
  steps_ += steps;
}

void TurnEnergy::settle(Series* series) {
  std::string reason = reason_;
  if (meter_ && steps_ == 0) reason = "no turn was metered";
  if (meter_ && steps_ > 0 && shortest_s_ < kTicksPerTurn * tick_s_) {
    reason = "the sides take turns of " + format_time_ns(shortest_s_ * 1e9) +
             " and the energy counter moves every " + format_time_ns(tick_s_ * 1e9) +
             ", too seldom to tell them apart; a run of each measures the joules of its steps";
  }
  if (reason.empty()) {
    series->energy_j = joules_ / double(steps_);
    series->energy_error_j = *series->energy_j * tick_s_ / shortest_s_;
    series->energy_source =
        meter_->source() + ", renewed every " + format_time_ns(tick_s_ * 1e9) + ", in turns";
  } else {
    series->unavailable["energy_j"] = reason;
  }
  joules_ = 0, steps_ = 0, shortest_s_ = 0;
}

}  // namespace ridge::measure
