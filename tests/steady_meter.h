// An energy meter of a machine that draws 50 W from the moment on that it was made.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "common/harness/measure/energy_meter.h"
#include "common/harness/measure/harness.h"

namespace ridge::test {

class SteadyMeter : public measure::EnergyMeter {
 public:
  static constexpr double kPower_w = 50;

  /// A counter renewed every `period_s`, or a meter of power.
  SteadyMeter(bool counter, double period_s) : counter_(counter), period_s_(period_s) {}
  std::string source() const override { return "made up"; }
  bool is_counter() const override { return counter_; }
  std::optional<double> read() override {
    if (!counter_) return kPower_w;
    return kPower_w * std::floor((measure::now_s() - start_s_) / period_s_) * period_s_;
  }

 private:
  bool counter_;
  double period_s_, start_s_ = measure::now_s();
};

}  // namespace ridge::test
