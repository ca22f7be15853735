// ridge: flags=-O2
//
// Idea      Last year's report says how long matrix300 took; this year's machine is that much faster.
// The lie   Last year it was built with -O1, this year with -Ofast. The quotient is called the
//           machine's, and it is the compiler's: both figures come from this one machine.
// Victim    matrix300, the textbook product of 300 x 300 in double precision.
// Guard     Flags are part of a rung's name and of its hash, and stand in every report: what was built
//           otherwise is another rung.
// Source    SPEC's matrix300, dropped in 1992 (matrix300.cpp tells the story).
#include "kernels/runtime/traps/pairs.h"

namespace ridge::traps {
namespace {

constexpr Size kSize = {.m = 300, .n = 300, .k = 300, .dtype = "fp64"};
constexpr char kLastYear[] = "traps.cpu.matrix300_o1";
constexpr char kThisYear[] = "traps.cpu.matrix300_ofast";

class TheCompilerDidIt : public VictimTrap {
 public:
  TheCompilerDidIt(std::unique_ptr<Victim> now, std::unique_ptr<Victim> then)
      : VictimTrap(std::move(now)), then_(std::move(then)) {}

  Result<double> lie() override { return speed_up(then_.get(), victim_.get()); }
  /// The same flags on both sides: this machine against itself.
  Result<double> honest() override { return speed_up(victim_.get(), victim_.get()); }

  Result<GuardVerdict> guard(double, double) override {
    const KernelSource* then = find_source(kLastYear);
    const KernelSource* now = find_source(kThisYear);
    if (then == nullptr || now == nullptr) {
      return GuardVerdict{false, "the sources of the two are not in this worker"};
    }
    return GuardVerdict{then->hash != now->hash && then->flags != now->flags,
                        "one file, two rungs: " + then->flags + " has the hash " +
                            then->hash.substr(0, 6) + ", " + now->flags + " " +
                            now->hash.substr(0, 6)};
  }

 private:
  std::unique_ptr<Victim> then_;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  RIDGE_TRY(auto now, Victim::make(kThisYear, kSize, device));
  RIDGE_TRY(auto then, Victim::make(kLastYear, kSize, device));
  return std::unique_ptr<Trap>(new TheCompilerDidIt(std::move(now), std::move(then)));
}

RIDGE_TRAP(traps, cpu, the_compiler_did_it, .victim = "matrix300, built twice",
           .quantity = "speed-up of this machine over itself", .unit = "",
           .guard = "flags are part of a rung's name, hash and report", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
