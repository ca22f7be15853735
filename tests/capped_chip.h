// A simulated GPU whose power is capped: its clock is what the mean energy of a cycle over the last tenth of a second
// allows. Sides that alternate within milliseconds share that clock; alone, each has its own. Time is the chip's, so
// that a minute of turns takes milliseconds. Beside tests/toy_family.h.
#pragma once

#include <cmath>
#include <map>

#include "tests/toy_family.h"

namespace ridge {
namespace {

/// What a kernel asks of the chip.
struct ChipLoad {
  double cycles = 2e6;  ///< of one call
  double energy_per_cycle =
      1;  ///< of the chip's switching, at the full clock; 1 meets the cap just so
};

class CappedChip : public FakeDevice {
 public:
  static constexpr double kFreeHz = 2e9, kMemory_s = 0.1;
  std::map<const KernelDesc*, ChipLoad> loads;
  double jitter = 5e-4;
  bool names_cap = true;  ///< as a driver does that says why
  int meters_asked = 0;   ///< for energy; it has none

  Backend backend() const override { return Backend::cuda; }
  int capability() const override { return 90; }
  double free_clock_hz() const override { return kFreeHz; }
  std::vector<std::string> held_down_by() override {
    if (names_cap && clock_hz() < kFreeHz) return {"power cap"};
    return {};
  }
  Result<std::unique_ptr<measure::EnergyMeter>> energy_meter() override {
    ++meters_asked;
    return FakeDevice::energy_meter();
  }
  Result<std::vector<Sample>> time(std::span<measure::Side* const> sides,
                                   std::span<const uint8_t> order) override {
    ++blocks;
    orders.emplace_back(order.begin(), order.end());
    std::vector<Sample> samples;
    for (const uint8_t index : order) samples.push_back(work(*sides[index], 2e-4));
    return samples;
  }
  Result<std::vector<Sample>> sustain(measure::Side* side, double seconds) override {
    std::vector<Sample> samples;
    for (double spent_s = 0; spent_s < seconds;) {
      samples.push_back(work(*side, 0.02));
      spent_s += samples.back().t_ns * 1e-9 * double(samples.back().calls);
    }
    return samples;
  }
  /// Power grows with the third power of the clock, since the voltage goes with it.
  double clock_hz() const { return kFreeHz * std::min(1.0, 1 / std::cbrt(mean_energy_)); }

 private:
  Sample work(const measure::Side& side, double slot_s) {
    const ChipLoad load = loads[side.kernel];
    Sample sample;
    sample.sm_clock_hz = clock_hz();
    const double wobble = quality::normal(17, uint64_t(turn_++));
    sample.t_ns = load.cycles / *sample.sm_clock_hz * 1e9 * std::exp(jitter * wobble);
    sample.calls = std::max<int64_t>(1, std::llround(slot_s * 1e9 / sample.t_ns));
    const double kept = std::exp(-sample.t_ns * 1e-9 * double(sample.calls) / kMemory_s);
    mean_energy_ = kept * mean_energy_ + (1 - kept) * load.energy_per_cycle;
    return sample;
  }
  double mean_energy_ = 0.1;
  int64_t turn_ = 0;
};

}  // namespace
}  // namespace ridge
