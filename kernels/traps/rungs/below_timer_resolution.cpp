// ridge: flags=-O2
//
// Idea      Read the clock, make one call, read the clock.
// The lie   Reading the clock takes 20 to 50 ns itself, and the call here takes about as long: half
//           of the figure is the clock's own. With a clock of microseconds it would be 0 or 1.
// Victim    A product of 2 x 2.
// Guard     A sample is as many calls as last 200 us; one that comes out shorter is taken again with
//           more calls.
// Source    google/benchmark and nanobench choose their iteration counts for the same reason.
#include <fmt/format.h>

#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {
namespace {

constexpr char kVictim[] = "gemm.cpu.loop_order";
constexpr Size kSize = {.m = 2, .n = 2, .k = 2};
constexpr int kCalls = 100;
constexpr double kMin_s = 100e-6;  ///< half of what is aimed at: the clock's 50 ns are then 0.05 %

class BelowTimerResolution : public VictimTrap {
 public:
  using VictimTrap::VictimTrap;
  Result<double> lie() override {
    RIDGE_TRY(const auto samples, victim_->single_calls(kCalls));
    return median_s(samples);
  }

  Result<GuardVerdict> guard(double, double) override {
    RIDGE_TRY(const double call, victim_->call_s());
    const double sample_s = call * double(victim_->last.calls);
    return GuardVerdict{sample_s >= kMin_s, fmt::format("a sample of the harness held {} calls and lasted {}",
                                                        victim_->last.calls, time_text(sample_s))};
  }
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  return trap_on<BelowTimerResolution>(Victim::make(kVictim, kSize, device));
}

RIDGE_TRAP(traps, cpu, below_timer_resolution, .victim = "a product of 2 x 2",
           .quantity = "time per call",
           .guard = "a sample lasts 200 µs, however many calls that is", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
