// ridge: arch=75 needs=cublas
//
// Idea      Two kernels take turns within milliseconds, and the quotient of their times is called their speed-up.
// The lie   Near its power cap a GPU has one clock at a time, the one that the mean power of both allows. So the
//           quotient is one of cycles. Alone, each kernel runs at the clock that its own power allows.
// Victim    The fastest of our own bf16 products that this GPU runs, against cuBLASLt, at n = 8192.
// Guard     Where a slot shows a held clock, a comparison also runs each side alone until its clock is steady.
// Source    Found in our own tables: ours 1.01 of cuBLASLt in turns, 0.94 of it alone (H200, bf16, n = 8192).
#include <cmath>

#include "common/core/format.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/sustained.h"
#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {
namespace {

constexpr Size kSize = {.m = 8192, .n = 8192, .k = 8192, .dtype = "bf16"};
constexpr const char* kPeer = "gemm.cuda.cublaslt";
constexpr const char* kOurs[] = {"gemm.cuda.tuned", "gemm.cuda.mma_sync"};  ///< the first that runs here
constexpr double kMargin = 0.02;
constexpr double kSettle_s = 1.5, kWindow_s = 0.5;  ///< of one side alone, in a reading

class SharedClock : public VictimTrap {
 public:
  SharedClock(std::unique_ptr<Victim> ours, std::unique_ptr<Victim> peer)
      : VictimTrap(std::move(ours)), peer_(std::move(peer)) {}

  Result<double> lie() override {
    RIDGE_TRY(const auto both, sides());
    measure::Side* pair[] = {both[0].side, both[1].side};
    RIDGE_TRY(const auto slots, device()->time(pair, std::vector<uint8_t>{0, 1, 1, 0, 1, 0, 0, 1}));
    double log_ratio = 0;
    constexpr double kSign[] = {1, -1, -1, 1, -1, 1, 1, -1};
    for (size_t i = 0; i < slots.size(); ++i) log_ratio += kSign[i] * std::log(slots[i].t_ns) / 4;
    return std::exp(log_ratio);
  }

  Result<double> honest() override {
    RIDGE_TRY(const auto both, sides());
    double alone_ns[2];
    for (size_t i = 0; i < 2; ++i) {
      RIDGE_TRY([[maybe_unused]] const auto lead, device()->sustain(both[i].side, kSettle_s));
      RIDGE_TRY(const auto window, device()->sustain(both[i].side, kWindow_s));
      alone_ns[i] = measure::mean_call_ns(window);
    }
    return alone_ns[0] / alone_ns[1];
  }

  Result<GuardVerdict> guard(double lie, double honest) override {
    RIDGE_TRY(const auto both, sides());
    measure::Observer nobody;
    RIDGE_TRY(const measure::ClockLook look, measure::look_at_clock(both, &nobody));
    std::string says = look.sentence();
    says += look.is_held() ? ": a comparison would run each side alone, and say "
                           : ": one clock for both is what each has, and both figures are right, ";
    const bool agree = std::fabs(std::log(lie / honest)) < kMargin;
    return GuardVerdict{look.is_held() || agree,
                        says + format_ratio(look.is_held() ? honest : lie)};
  }

 private:
  /// The peer first: a ratio is its time over ours.
  Result<std::vector<measure::SustainedEntry>> sides() {
    RIDGE_TRY(measure::Side * peer, peer_->side());
    RIDGE_TRY(measure::Side * ours, victim_->side());
    return std::vector<measure::SustainedEntry>{{device(), peer}, {device(), ours}};
  }

  std::unique_ptr<Victim> peer_;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  RIDGE_TRY(auto peer, Victim::make(kPeer, kSize, device));
  Error none = {ErrorCode::unavailable, "none of its victims runs here", kOurs[0], ""};
  for (const char* id : kOurs) {
    const KernelDesc* ours = find_kernel(id);
    std::string reason;
    if (ours == nullptr || !measure::capability_suffices(ours->arch, ours->arch_exact, device->name(),
                                                         device->capability(), &reason))
      continue;
    RIDGE_TRY(auto victim, Victim::make(*ours, kSize, device));
    return std::unique_ptr<Trap>(new SharedClock(std::move(victim), std::move(peer)));
  }
  return none;
}

RIDGE_TRAP(traps, cuda, shared_clock, .victim = "our fastest bf16 product against cuBLASLt, n = 8192",
           .quantity = "speed-up over cuBLASLt", .unit = "",
           .guard = "where the clock is held down, each side also runs alone", .set_up = set_up,
           .patience_s = 90);

}  // namespace
}  // namespace ridge::traps
