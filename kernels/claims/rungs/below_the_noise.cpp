// ridge: flags=-O2
//
// Idea      Time the old kernel, time the new one, and divide: two medians, no interval.
// The claim Two medians are hardly ever equal, so one side wins. Here both sides are the same kernel: what the quotient
//           shows is the noise of the machine, and the answer is 1.
// Victim    Loop order, 48 x 48, against itself; a median of five calls each. The winner is called the new one.
// Guard     A comparison has an interval over pairs, and a verdict only where the whole interval lies beyond the margin.
// Source    Georges, Buytaert, Eeckhout, Statistically Rigorous Java Performance Evaluation (OOPSLA 2007).
#include <algorithm>

#include "common/core/format.h"
#include "common/stats/stats.h"
#include "kernels/runtime/traps/pairs.h"

namespace ridge::traps {
namespace {

constexpr char kKernel[] = "gemm.cpu.loop_order";
constexpr Size kSize = {.m = 48, .n = 48, .k = 48};
constexpr int kCalls = 5, kRounds = 15;

class BelowTheNoise : public VictimTrap {
 public:
  BelowTheNoise(std::unique_ptr<Victim> a, std::unique_ptr<Victim> b)
      : VictimTrap(std::move(a)), b_(std::move(b)) {}

  Result<double> lie() override {
    RIDGE_TRY(const auto a, victim_->single_calls(kCalls));
    RIDGE_TRY(const auto b, b_->single_calls(kCalls));
    const double ratio = median_s(a) / median_s(b);
    return std::max(ratio, 1 / ratio);  // whichever is ahead is the one that is published
  }

  Result<double> honest() override {
    RIDGE_TRY(const auto rounds, rounds_of(victim_.get(), b_.get(), kRounds));
    return stats::judge(rounds, 1, kMargin).ratio;
  }

  Result<GuardVerdict> guard(double, double) override {
    RIDGE_TRY(const auto rounds, rounds_of(victim_.get(), b_.get(), 2 * kRounds));
    const stats::PairedResult paired = stats::judge(rounds, 1, kMargin);
    const bool none = paired.verdict == Verdict::same || paired.verdict == Verdict::unresolved;
    return GuardVerdict{none, "a comparison of the two says " + to_string(paired.verdict) + ": " +
                                  format_ratio(paired.ratio) + " " +
                                  format_ratio_interval(paired.ci) + ", margin " +
                                  format_percent_width(kMargin)};
  }

 private:
  std::unique_ptr<Victim> b_;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  RIDGE_TRY(auto a, Victim::make(kKernel, kSize, device));
  RIDGE_TRY(auto b, Victim::make(kKernel, kSize, device));
  return std::unique_ptr<Trap>(new BelowTheNoise(std::move(a), std::move(b)));
}

RIDGE_TRAP(claims, cpu, below_the_noise, .victim = "a product of 48 x 48 against itself",
           .quantity = "speed-up of a kernel over itself", .unit = "",
           .guard = "a verdict takes an interval over pairs, beyond a margin", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
