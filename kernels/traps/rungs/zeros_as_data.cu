// ridge: arch=75
//
// Idea      Forget to fill the inputs: both matrices are zero. This kernel does not look at its data.
// The lie   It is faster all the same. Multiplying zeros flips no bits, so the chip draws less power
//           and may clock higher: the same cycles, in less time.
// Victim    cuBLASLt at 8192 in bf16: enough to bring the GPU to its power limit, each reading after
//           a third of a second of the same calls.
// Guard     The harness fills every input with random normals; each sample stores its clock.
// Source    Horace He, Strangely, Matrix Multiplications on GPUs Run Faster When Given "Predictable"
//           Data! (2024).
#include "common/core/format.h"
#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {
namespace {

constexpr char kVictim[] = "gemm.cuda.cublaslt";
constexpr Size kSize = {.m = 8192, .n = 8192, .k = 8192, .dtype = "bf16"};
constexpr double kHeat_s = 0.3;

/// A reading once this data has set clock and power.
Result<double> heated_s(Victim* victim) {
  double spent_s = 0;
  while (spent_s < kHeat_s) {
    RIDGE_TRY(const double call, victim->call_s());
    spent_s += 5 * call * double(victim->last.calls);
  }
  return victim->call_s();
}

std::string clock_text(const Victim& victim) {
  return victim.last.sm_clock_hz ? format_quantity(*victim.last.sm_clock_hz, "Hz") : "unknown";
}

class ZerosAsData : public VictimTrap {
 public:
  ZerosAsData(std::unique_ptr<Victim> victim, std::unique_ptr<Victim> zeros)
      : VictimTrap(std::move(victim)), zeros_(std::move(zeros)) {}
  Result<double> lie() override { return heated_s(zeros_.get()); }
  Result<double> honest() override { return heated_s(victim_.get()); }

  Result<GuardVerdict> guard(double, double) override {
    int64_t zeros = 0;
    const std::string text = zeros_text(*victim_->rung.instance, &zeros);
    // bf16 keeps 8 bits: a normal number rounds to zero only where it is one.
    return GuardVerdict{zeros == 0, text + "; SM clock " + clock_text(*zeros_) + " on zeros, " +
                                        clock_text(*victim_) + " on random data"};
  }

 private:
  std::unique_ptr<Victim> zeros_;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  RIDGE_TRY(auto victim, Victim::make(kVictim, kSize, device));
  RIDGE_TRY(auto zeros, Victim::make(kVictim, kSize, device));
  RIDGE_TRY_VOID(zeros->fill_with_zeros());
  return std::unique_ptr<Trap>(new ZerosAsData(std::move(victim), std::move(zeros)));
}

RIDGE_TRAP(traps, cuda, zeros_as_data, .victim = "cuBLASLt's bf16 product of 8192 x 8192",
           .quantity = "time per call", .guard = "inputs are random normals, never zeros",
           .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
