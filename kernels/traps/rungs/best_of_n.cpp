// ridge: flags=-O3
//
// Idea      Time 100 calls and print the fastest.
// The lie   Where the time depends on the data, the minimum is the luckiest input, not the kernel. It
//           falls with further tries until the luckiest has come, and it has no interval.
// Victim    A product of 64 x 64 that by construction does itself 1 to 16 times, drawn from the
//           number of the call: a search that may end early.
// Guard     The headline is the median with its interval; the minimum is kept, never the headline.
// Source    Hoefler and Belli, Scientific Benchmarking of Parallel Computing Systems (SC15), section 3.
#include <algorithm>
#include <atomic>

#include "common/core/format.h"
#include "common/stats/stats.h"
#include "kernels/traps/rungs/product.h"
#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {
namespace {

constexpr Size kSize = {.m = 64, .n = 64, .k = 64};
constexpr int kCalls = 100, kMax = 16, kFew = 5;

std::atomic<uint64_t> calls{0};

Status launch_search(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  const uint64_t times = 1 + drawn(calls++, kMax);
  for (uint64_t i = 0; i < times; ++i) product_rows(g, 0, g.m);
  return {};
}

constexpr KernelDesc kSearch = {.id = "traps.cpu.best_of_n", .launch = launch_search};

double best_ns(const std::vector<Sample>& samples, int of) {
  double best = samples.front().t_ns;
  for (int i = 0; i < of; ++i) best = std::min(best, samples[size_t(i)].t_ns);
  return best;
}

class BestOfN : public VictimTrap {
 public:
  using VictimTrap::VictimTrap;
  Result<double> lie() override {
    RIDGE_TRY(const auto samples, victim_->single_calls(kCalls));
    return best_ns(samples, kCalls) * 1e-9;
  }
  Result<double> honest() override {
    RIDGE_TRY(const auto samples, victim_->single_calls(kCalls));
    return median_s(samples);
  }

  Result<GuardVerdict> guard(double, double) override {
    RIDGE_TRY(const auto samples, victim_->single_calls(kCalls));
    const Stats stats = stats::summarize(samples);
    return GuardVerdict{stats.ci_ns && stats.min_ns < stats.ci_ns->low,
                        "best of " + std::to_string(kFew) + ": " +
                            format_time_ns(best_ns(samples, kFew)) + ", of " +
                            std::to_string(kCalls) + ": " + format_time_ns(stats.min_ns) +
                            "; headline: the median, " + format_time_interval(stats.ci_ns)};
  }
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  return trap_on<BestOfN>(Victim::make(kSearch, kSize, device));
}

RIDGE_TRAP(traps, cpu, best_of_n, .victim = "a product done 1 to 16 times",
           .quantity = "latency of a typical call",
           .guard = "the headline is the median with its interval", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
