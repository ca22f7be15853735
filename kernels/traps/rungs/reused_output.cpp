// ridge: flags=-O3
//
// Idea      Check the result once, then time: the buffer still holds the right answer afterwards.
// The lie   So it does, whoever wrote it. A kernel that computes at its first call only (a cache that
//           is never invalidated, a launch that fails silently, a captured graph that was not run)
//           passes that check for ever.
// Victim    Loop order, 128 x 128; its lying twin remembers that it is done.
// Guard     Before every check the output is filled with poison: the answer of an earlier call is gone.
// Source    Found in the wild as kernels that "pass" after a failed launch.
#include "kernels/traps/rungs/product.h"
#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {
namespace {

constexpr Size kSize = {.m = 128, .n = 128, .k = 128};

Status launch_each_time(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  product_rows(g, 0, g.m);
  return {};
}

Status prepare_once(const Shape&, Plan* plan) {
  plan->state = new bool(false);
  plan->release = [](void* state) { delete static_cast<bool*>(state); };
  return {};
}

Status launch_once(const Launch& launch) {
  bool& done = *static_cast<bool*>(launch.plan_state);
  if (!done) launch_each_time(launch);
  done = true;
  return {};
}

constexpr KernelDesc kEachTime = {.id = "traps.cpu.reused_output", .launch = launch_each_time};
constexpr KernelDesc kOnce = {
    .id = "traps.cpu.reused_output", .prepare = prepare_once, .launch = launch_once};

class ReusedOutput : public VictimTrap {
 public:
  ReusedOutput(std::unique_ptr<Victim> victim, std::unique_ptr<Victim> once)
      : VictimTrap(std::move(victim)), once_(std::move(once)) {}
  Result<double> lie() override { return once_->call_s(); }

  Result<GuardVerdict> guard(double, double) override {
    measure::ReadyRung& rung = once_->rung;
    RIDGE_TRY_VOID(rung.buffers->download_outputs(rung.instance.get()));
    const QualityCheck naive = rung.instance->problem->check(rung.instance->host, true, 1);
    RIDGE_TRY(const QualityCheck gate, once_->check("reused"));
    return GuardVerdict{!gate.passed,
                        std::string("a check without poison ") +
                            (naive.passed ? "passes" : "refuses") + " it; the gate " +
                            (gate.passed ? "does, too" : "refuses it: " + gate.reason)};
  }

 private:
  std::unique_ptr<Victim> once_;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  RIDGE_TRY(auto victim, Victim::make(kEachTime, kSize, device));
  RIDGE_TRY(auto once, Victim::make(kOnce, kSize, device));
  return std::unique_ptr<Trap>(new ReusedOutput(std::move(victim), std::move(once)));
}

RIDGE_TRAP(traps, cpu, reused_output, .victim = "a product of 128 x 128",
           .quantity = "time per call", .guard = "poison before every check", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
