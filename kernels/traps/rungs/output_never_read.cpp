// ridge: flags=-O3
//
// Idea      Call the product in a loop and stop the clock: a micro-benchmark in ten lines.
// The lie   Nobody reads the result, so the compiler is right to compute none. What is timed is an
//           empty function. With optimisation off the same ten lines would be honest, and slow.
// Victim    Loop order, 128 x 128, into an array that is never looked at.
// Guard     Output is a buffer of the harness, filled with poison before the call and checked after.
// Source    Every benchmark library's "do not optimise": Google Benchmark's DoNotOptimize is one.
#include "kernels/traps/rungs/product.h"
#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {
namespace {

constexpr int64_t kN = 128;
constexpr Size kSize = {.m = kN, .n = kN, .k = kN};

Status launch_read(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  product_rows(g, 0, g.m);
  return {};
}

/// The same into an array of its own, which nothing reads.
Status launch_unread(const Launch& launch) {
  Gemm g = gemm_of(launch);
  float c[kN * kN];
  g.c = c;
  g.m = g.n = g.k = kN;
  product_rows(g, 0, g.m);
  return {};
}

constexpr KernelDesc kRead = {.id = "traps.cpu.output_never_read", .launch = launch_read};
constexpr KernelDesc kUnread = {.id = "traps.cpu.output_never_read", .launch = launch_unread};

class OutputNeverRead : public VictimTrap {
 public:
  OutputNeverRead(std::unique_ptr<Victim> victim, std::unique_ptr<Victim> unread)
      : VictimTrap(std::move(victim)), unread_(std::move(unread)) {}
  Result<double> lie() override { return unread_->call_s(); }

  Result<GuardVerdict> guard(double, double) override {
    RIDGE_TRY(const QualityCheck check, unread_->check("never read"));
    return GuardVerdict{!check.passed, check.passed ? "the gate let it pass"
                                                    : "the gate refuses it: " + check.reason};
  }

 private:
  std::unique_ptr<Victim> unread_;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  RIDGE_TRY(auto victim, Victim::make(kRead, kSize, device));
  RIDGE_TRY(auto unread, Victim::make(kUnread, kSize, device));
  return std::unique_ptr<Trap>(new OutputNeverRead(std::move(victim), std::move(unread)));
}

RIDGE_TRAP(traps, cpu, output_never_read, .victim = "a product of 128 x 128",
           .quantity = "time per call", .guard = "output is poisoned before and checked after",
           .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
