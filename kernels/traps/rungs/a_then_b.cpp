// ridge: flags=-O3
//
// Idea      Measure A, then measure B, and divide.
// The lie   A machine drifts: it warms up, its clock falls, a neighbour wakes. Whoever is second is
//           measured on another machine. Here A and B are the same kernel, and the answer is 1.
// Victim    A product of 96 x 96 that throttles itself, by construction: every fourth call one more
//           row is done twice, so that a reading of 48 slots ends an eighth slower for each call in a slot.
// Guard     A comparison takes both sides in palindromes (A B B A or B A A B): drift falls on both
//           alike, and half the difference of their logarithms no longer has it.
// Source    Found while building: A, then B from idle called 29 of 30 equal pairs different (H200).
#include <atomic>
#include <cmath>

#include "common/core/format.h"
#include "common/stats/stats.h"
#include "kernels/traps/rungs/product.h"
#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {
namespace {

constexpr Size kSize = {.m = 96, .n = 96, .k = 96};
constexpr int kSlots = 24;     ///< of each side in a reading
constexpr int kCallsARow = 4;  ///< the throttle: calls until another row is done twice
constexpr double kMargin = 0.02;

std::atomic<int64_t> calls{0};

Status launch_throttling(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  product_rows(g, 0, g.m);
  const int64_t again = calls++ / kCallsARow;
  for (int64_t row = 0; row < again; ++row) product_rows(g, row % g.m, row % g.m + 1);
  return {};
}

constexpr KernelDesc kThrottling = {.id = "traps.cpu.a_then_b", .launch = launch_throttling};

class AThenB : public VictimTrap {
 public:
  AThenB(std::unique_ptr<Victim> a, std::unique_ptr<Victim> b)
      : VictimTrap(std::move(a)), b_(std::move(b)) {}

  Result<double> lie() override {
    RIDGE_TRY(const auto a, slots(std::vector<uint8_t>(kSlots, 0)));
    RIDGE_TRY(const auto b, slots(std::vector<uint8_t>(kSlots, 1), false));
    return median_s(a) / median_s(b);
  }

  Result<double> honest() override {
    RIDGE_TRY(const auto rounds, palindromes());
    return stats::judge(rounds, 1, kMargin).ratio;
  }

  Result<GuardVerdict> guard(double, double) override {
    RIDGE_TRY(const auto rounds, palindromes());
    const stats::PairedResult verdict = stats::judge(rounds, 1, kMargin);
    const bool same = verdict.verdict == Verdict::same || verdict.verdict == Verdict::unresolved;
    return GuardVerdict{same, "a comparison of the two says " + to_string(verdict.verdict) + ": " +
                                  format_ratio(verdict.ratio) + " " +
                                  format_ratio_interval(verdict.ci) + ", margin 2 %"};
  }

 private:
  /// `cool`: the throttle begins afresh.
  Result<std::vector<Sample>> slots(const std::vector<uint8_t>& order, bool cool = true) {
    RIDGE_TRY(measure::Side * a, victim_->side());
    RIDGE_TRY(measure::Side * b, b_->side());
    measure::Side* sides[] = {a, b};
    if (cool) calls = 0;
    return device()->time(sides, order);
  }

  Result<std::vector<Round>> palindromes() {
    std::vector<uint8_t> order;
    for (int i = 0; i < kSlots / 2; ++i) {
      const uint8_t outer = drawn(static_cast<uint64_t>(i), 2) != 0, inner = !outer;
      order.insert(order.end(), {outer, inner, inner, outer});
    }
    RIDGE_TRY(const auto samples, slots(order));
    std::vector<Round> rounds(order.size() / 4);
    for (size_t i = 0; i < order.size(); ++i) {
      rounds[i / 4].order += static_cast<char>('0' + order[i]);
      rounds[i / 4].t_ns.push_back(samples[i].t_ns);
    }
    return rounds;
  }

  std::unique_ptr<Victim> b_;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  RIDGE_TRY(auto a, Victim::make(kThrottling, kSize, device));
  RIDGE_TRY(auto b, Victim::make(kThrottling, kSize, device));
  return std::unique_ptr<Trap>(new AThenB(std::move(a), std::move(b)));
}

RIDGE_TRAP(traps, cpu, a_then_b, .victim = "a product against itself, while it throttles",
           .quantity = "speed-up of B over A, which are the same", .unit = "",
           .guard = "comparisons run in palindromes drawn at random", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
