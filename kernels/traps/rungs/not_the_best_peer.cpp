// ridge: flags=-O3
//
// Idea      Beat "the library": whichever was measured first, or has the best name.
// The lie   There are several libraries, and one of them is slower here. A speed-up over the slower one is a true
//           quotient and a false claim: the reader hears "faster than what I could have had".
// Victim    Our packed product of 512 x 512 in fp32 against OpenBLAS and oneDNN, one thread.
// Guard     All peers meet in pairs first, and what counts is the one that wins. Two medians of two runs do not settle
//           which: between the runs the clock moves.
// Source    Found in our own tables: a ratio "against the faster of cuBLAS and cuBLASLt" was against the slower (H200).
#include "common/core/format.h"
#include "common/stats/stats.h"
#include "kernels/runtime/traps/pairs.h"

namespace ridge::traps {
namespace {

constexpr Size kSize = {.m = 512, .n = 512, .k = 512};
constexpr const char *kOurs = "gemm.cpu.packed", *kPeers[] = {"gemm.cpu.openblas", "gemm.cpu.onednn"};
constexpr int kRounds = 7;  ///< of the peers' own comparison

class NotTheBestPeer : public VictimTrap {
 public:
  NotTheBestPeer(std::unique_ptr<Victim> ours, std::unique_ptr<Victim> first, std::unique_ptr<Victim> second)
      : VictimTrap(std::move(ours)), slower_(std::move(first)), faster_(std::move(second)) {}

  /// Which peer is which, by pairs.
  Result<void> sort_peers() {
    RIDGE_TRY(const stats::PairedResult paired, peers());
    if (paired.ratio < 1) std::swap(slower_, faster_);
    return {};
  }

  Result<double> lie() override { return speed_up(slower_.get(), victim_.get()); }
  Result<double> honest() override { return speed_up(faster_.get(), victim_.get()); }

  Result<GuardVerdict> guard(double, double) override {
    RIDGE_TRY(const stats::PairedResult paired, peers());
    const std::string better = faster_->rung.kernel->library, worse = slower_->rung.kernel->library;
    return GuardVerdict{paired.ratio >= 1 / (1 + kMargin),
                        "in pairs, " + better + " is " + format_ratio(paired.ratio) + " " +
                            format_ratio_interval(paired.ci) + " as fast as " + worse +
                            consequence(paired.verdict)};
  }

 private:
  /// Only an interval outside the margin names one peer.
  static const char* consequence(Verdict verdict) {
    switch (verdict) {
      case Verdict::faster:
        return ", so it is the peer";
      case Verdict::same:
        return ", the same within the margin, so either may be the peer";
      default:
        return ", which does not settle the peer, so a claim must hold against both";
    }
  }

  /// The slower one's time over the faster one's.
  Result<stats::PairedResult> peers() {
    RIDGE_TRY(const auto paired, rounds_of(slower_.get(), faster_.get(), kRounds));
    return stats::judge(paired, 1, kMargin);
  }

  std::unique_ptr<Victim> slower_, faster_;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  for (const char* id : kPeers) {
    const KernelDesc* peer = find_kernel(id);
    if (peer != nullptr && (peer->unavailable == nullptr || peer->unavailable() == nullptr)) continue;
    return Error{ErrorCode::unavailable, "two libraries are needed", id, "install OpenBLAS and oneDNN"};
  }
  RIDGE_TRY(auto ours, Victim::make(kOurs, kSize, device));
  RIDGE_TRY(auto first, Victim::make(kPeers[0], kSize, device));
  RIDGE_TRY(auto second, Victim::make(kPeers[1], kSize, device));
  auto trap = std::make_unique<NotTheBestPeer>(std::move(ours), std::move(first), std::move(second));
  RIDGE_TRY_VOID(trap->sort_peers());
  return std::unique_ptr<Trap>(std::move(trap));
}

RIDGE_TRAP(traps, cpu, not_the_best_peer, .victim = "a product of 512 x 512 against two libraries",
           .quantity = "speed-up over the library", .unit = "",
           .guard = "peers meet in pairs first; the one that wins counts", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
