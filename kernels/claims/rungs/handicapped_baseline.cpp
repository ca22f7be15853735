// ridge: flags=-O2
//
// Idea      Run the new kernel on all cores, and the old one as it comes: on one.
// The claim The quotient is true and counts cores. A library that was built or called for one thread is no baseline for
//           a kernel with all of them. Here both sides are the same kernel, and the answer is 1.
// Victim    Our threaded product of 512 x 512 in fp32 against itself.
// Guard     The number of threads is part of the problem: it stands beside every figure, for both sides.
// Source    Bailey, Twelve Ways to Fool the Masses (1991): way 6 compares with unoptimized code.
#include "common/record/params.h"
#include "kernels/runtime/traps/pairs.h"

namespace ridge::traps {
namespace {

constexpr char kKernel[] = "gemm.cpu.threads";
constexpr int64_t kN = 512;

class HandicappedBaseline : public VictimTrap {
 public:
  HandicappedBaseline(std::unique_ptr<Victim> all, std::unique_ptr<Victim> again,
                      std::unique_ptr<Victim> one)
      : VictimTrap(std::move(all)), again_(std::move(again)), one_(std::move(one)) {}

  Result<double> lie() override { return speed_up(one_.get(), victim_.get()); }
  Result<double> honest() override { return speed_up(again_.get(), victim_.get()); }

  Result<GuardVerdict> guard(double, double) override {
    const int baseline = one_->rung.launch().shape.threads;
    const int candidate = victim_->rung.launch().shape.threads;
    return GuardVerdict{baseline != candidate, "the parameters name both sides: threads = " +
                                                   std::to_string(baseline) + " against threads = " +
                                                   std::to_string(candidate)};
  }

 private:
  std::unique_ptr<Victim> again_, one_;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  const int64_t cores = threads_param().max;
  if (cores < 2) {
    return Error{ErrorCode::unavailable, "this machine has one core", "handicapped baseline",
                 "run it where there are two"};
  }
  const auto with = [&](int64_t threads) {
    return Victim::make(kKernel, Params{{"n", kN}, {"threads", threads}}, device);
  };
  RIDGE_TRY(auto all, with(cores));
  RIDGE_TRY(auto again, with(cores));
  RIDGE_TRY(auto one, with(1));
  return std::unique_ptr<Trap>(
      new HandicappedBaseline(std::move(all), std::move(again), std::move(one)));
}

RIDGE_TRAP(claims, cpu, handicapped_baseline, .victim = "a product of 512 x 512 against itself",
           .quantity = "speed-up of all threads' kernel over itself", .unit = "",
           .guard = "both sides' threads stand beside the figure", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
