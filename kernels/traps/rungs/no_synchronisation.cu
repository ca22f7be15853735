// ridge: arch=75
//
// Idea      Read the host's clock before and after the launch. It is how one times a function.
// The lie   A launch only queues: the call returns while the GPU has hardly begun. What is timed is
//           the queueing, some microseconds (some tens on an idle GPU), whether the kernel takes one
//           or a minute.
// Victim    gemm.cuda.shared_tile at 2048: about two milliseconds of work on an H100.
// Guard     The harness times by events on the kernel's own stream, and waits for them.
// Source    CUDA C++ Best Practices Guide, 10.1, Timing.
#include <cuda_runtime_api.h>

#include <chrono>

#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {
namespace {

constexpr char kVictim[] = "gemm.cuda.shared_tile";
constexpr Size kSize = {.m = 2048, .n = 2048, .k = 2048};

class NoSynchronisation : public VictimTrap {
 public:
  using VictimTrap::VictimTrap;

  Result<double> lie() override {
    using Clock = std::chrono::steady_clock;
    const Launch launch = victim_->rung.launch();
    RIDGE_TRY_VOID(device()->synchronize());
    const auto start = Clock::now();
    const Status status = victim_->rung.kernel->launch(launch);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    ++readings_;
    too_early_ += cudaStreamQuery(static_cast<cudaStream_t>(launch.stream)) == cudaErrorNotReady;
    if (!status.ok()) return measure::to_error(status, *victim_->rung.kernel);
    RIDGE_TRY_VOID(device()->synchronize());
    return seconds;
  }

  Result<GuardVerdict> guard(double, double) override {
    return GuardVerdict{too_early_ > 0,
                        "in " + std::to_string(too_early_) + " of " + std::to_string(readings_) +
                            " readings the kernel still ran when the clock had stopped; the "
                            "harness's events lie behind it in its stream"};
  }

 private:
  int readings_ = 0, too_early_ = 0;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  return trap_on<NoSynchronisation>(Victim::make(kVictim, kSize, device));
}

RIDGE_TRAP(traps, cuda, no_synchronisation, .victim = "a tiled product of 2048 x 2048",
           .quantity = "time per call",
           .guard = "events on the kernel's stream, and a wait for them", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
