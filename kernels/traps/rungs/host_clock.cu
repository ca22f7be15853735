// ridge: arch=75
//
// Idea      Now wait for the kernel, and read the host's clock around launch and wait.
// The lie   The figure holds the launch, the way to the GPU, and the host's waking up: 5 to 15 us. It
//           is a latency, rightly so where one call is waited for; called the kernel's time it makes
//           every short kernel the same.
// Victim    gemm.cuda.coalesced at 64: a few microseconds of work.
// Guard     Time per call comes from many calls in one CUDA graph, less an empty graph;
//           latency is a quantity of its own, measured in a pass of its own.
// Source    CUDA C++ Best Practices Guide, 10.1, Timing.
#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {
namespace {

constexpr char kVictim[] = "gemm.cuda.coalesced";
constexpr Size kSize = {.m = 64, .n = 64, .k = 64};
constexpr int kCalls = 20;

class HostClock : public VictimTrap {
 public:
  using VictimTrap::VictimTrap;

  Result<double> lie() override {
    RIDGE_TRY(const auto calls, victim_->single_calls(kCalls));
    return median_s(calls);
  }

  Result<GuardVerdict> guard(double lie, double honest) override {
    RIDGE_TRY(const double again, victim_->call_s());
    return GuardVerdict{is_nearer(again, honest, lie),
                        std::to_string(victim_->last.calls) + " calls in one gated sample read " +
                            time_text(again) + " each; the other " + time_text(lie - again) +
                            " are the host's"};
  }
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  return trap_on<HostClock>(Victim::make(kVictim, kSize, device));
}

RIDGE_TRAP(traps, cuda, host_clock, .victim = "a product of 64 x 64", .quantity = "time per call",
           .guard = "many calls behind a gate; latency is a quantity of its own", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
