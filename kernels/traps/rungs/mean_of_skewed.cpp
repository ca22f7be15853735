// ridge: flags=-O3
//
// Idea      Time 60 calls and print their mean.
// The lie   Times have a hard floor and a long tail. By construction one call in twelve here takes
//           sixty times as long (a table that grows, a page from disk, somebody else's turn): the
//           mean lies where no call ever was, and moves with the luck of the draw.
// Victim    A product of 64 x 64; whether a call is a slow one is drawn from its number.
// Guard     The headline is the median with its interval; outliers are tagged and drawn.
// Source    Hoefler and Belli, Scientific Benchmarking of Parallel Computing Systems (SC15), rule 6.
#include <atomic>

#include "common/core/format.h"
#include "common/stats/stats.h"
#include "kernels/traps/rungs/product.h"
#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {
namespace {

constexpr Size kSize = {.m = 64, .n = 64, .k = 64};
constexpr int kCalls = 60, kOneIn = 12, kSlow = 60;

std::atomic<uint64_t> calls{0};

Status launch_hiccup(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  const int times = drawn(calls++, kOneIn) == 0 ? kSlow : 1;
  for (int i = 0; i < times; ++i) product_rows(g, 0, g.m);
  return {};
}

constexpr KernelDesc kHiccup = {.id = "traps.cpu.mean_of_skewed", .launch = launch_hiccup};

double mean_s(const std::vector<Sample>& samples) {
  double sum = 0;
  for (const Sample& sample : samples) sum += sample.t_ns * 1e-9;
  return sum / double(samples.size());
}

class MeanOfSkewed : public VictimTrap {
 public:
  using VictimTrap::VictimTrap;
  Result<double> lie() override {
    RIDGE_TRY(const auto samples, victim_->single_calls(kCalls));
    return mean_s(samples);
  }
  Result<double> honest() override {
    RIDGE_TRY(const auto samples, victim_->single_calls(kCalls));
    return median_s(samples);
  }

  Result<GuardVerdict> guard(double, double) override {
    RIDGE_TRY(auto samples, victim_->single_calls(kCalls));
    stats::tag_outliers(&samples);
    const Stats stats = stats::summarize(samples);
    const double mean = mean_s(samples) * 1e9;
    const bool outside = stats.ci_ns && mean > stats.ci_ns->high;
    return GuardVerdict{stats.outliers > 0 && outside,
                        std::to_string(stats.outliers) + " of " + std::to_string(kCalls) +
                            " calls are tagged as outliers; headline: the median, " +
                            format_time_interval(stats.ci_ns) + ", and the mean of these (" +
                            format_time_ns(mean) + ") lies outside"};
  }
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  return trap_on<MeanOfSkewed>(Victim::make(kHiccup, kSize, device));
}

RIDGE_TRAP(traps, cpu, mean_of_skewed, .victim = "a product with a slow call in twelve",
           .quantity = "latency of a typical call",
           .guard = "the headline is the median; outliers are tagged", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
