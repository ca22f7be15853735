// ridge: flags=-O3
//
// Idea      Compare two kernels at several sizes and publish the best one: "up to so many times as fast".
// The claim A true quotient, of a size that the reader does not have. The gain grows with n here. Two causes are likely,
//           and neither was measured: short dot products overlap and long ones do not, and from n = 128 on a column of B
//           may fall into too few sets of the L1. A product of 32 x 32 gets a fraction of the gain.
// Victim    Loop order against the three loops, n = 32 to 256. The size asked for is 32.
// Guard     A figure stands with its size, and a sweep shows every size that was measured.
// Source    Hoefler and Belli, Scientific Benchmarking of Parallel Computing Systems (SC15), rule 2: say why you report a
//           subset.
#include <algorithm>
#include <vector>

#include "common/core/format.h"
#include "kernels/runtime/traps/pairs.h"

namespace ridge::traps {
namespace {

constexpr int64_t kSizes[] = {32, 64, 128, 256};  ///< the first is the one asked for
constexpr char kBefore[] = "gemm.cpu.naive_o3", kAfter[] = "gemm.cpu.loop_order";

struct Pair {
  int64_t n;
  std::unique_ptr<Victim> before, after;
};

class CherryPickedSize : public Trap {
 public:
  explicit CherryPickedSize(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {}

  Result<double> lie() override {
    double best = 0;
    for (const Pair& pair : pairs_) {
      RIDGE_TRY(const double gain, speed_up(pair.before.get(), pair.after.get()));
      best = std::max(best, gain);
    }
    return best;
  }
  Result<double> honest() override {
    return speed_up(pairs_.front().before.get(), pairs_.front().after.get());
  }

  Result<QualityCheck> check(const std::string& what) override {
    QualityCheck check;
    for (const Pair& pair : pairs_) {
      RIDGE_TRY(check, pair.after->check(what + ", n = " + std::to_string(pair.n)));
      if (!check.passed) break;
    }
    return check;
  }

  Result<GuardVerdict> guard(double, double) override {
    std::string sweep;
    double best = 0;
    int64_t best_n = 0;
    for (const Pair& pair : pairs_) {
      RIDGE_TRY(const double gain, speed_up(pair.before.get(), pair.after.get()));
      sweep += (sweep.empty() ? "n = " : ", ") + std::to_string(pair.n) + ": " + format_ratio(gain);
      if (gain > best) best = gain, best_n = pair.n;
    }
    return GuardVerdict{best_n != pairs_.front().n, "the sweep shows all sizes: " + sweep};
  }

 private:
  std::vector<Pair> pairs_;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  std::vector<Pair> pairs;
  for (const int64_t n : kSizes) {
    Pair pair{n, nullptr, nullptr};
    RIDGE_TRY(pair.before, Victim::make(kBefore, Size{n, n, n}, device));
    RIDGE_TRY(pair.after, Victim::make(kAfter, Size{n, n, n}, device));
    pairs.push_back(std::move(pair));
  }
  return std::unique_ptr<Trap>(new CherryPickedSize(std::move(pairs)));
}

RIDGE_TRAP(claims, cpu, cherry_picked_size, .victim = "loop order against three loops, n = 32",
           .quantity = "speed-up at the size asked for", .unit = "",
           .guard = "a figure stands with its size, and a sweep shows them all", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
