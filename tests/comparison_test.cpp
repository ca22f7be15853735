// What every kind of comparison shares, on a made-up kind whose calls take what a simulated machine says: A/A, what a
// failure in the middle leaves, and what a cancel leaves.
#include "common/harness/measure/comparison.h"

#include <algorithm>
#include <cmath>

#include "tests/catch.h"
#include "tests/simulation.h"

namespace ridge {
namespace {

using measure::CompareOptions;
using measure::CompareOutcome;

class Watcher : public measure::Observer {
 public:
  size_t rounds_seen = 0, samples_seen = 0, announced = 0;
  int cancel_at_ask = 1 << 30;
  mutable int asks = 0;
  void rounds(std::span<const Round> some) override { rounds_seen += some.size(); }
  void samples(int, const char*, std::span<const Sample> some) override {
    samples_seen += some.size();
  }
  void announce(int) override { ++announced; }
  bool cancelled() const override { return ++asks > cancel_at_ask; }
};

double simulated_s = 0;  ///< moved on by each call

/// A call takes as long as a process would: a start that scatters upwards, bursts of a busy machine that last some
/// calls, and a machine that gets slower.
class MadeUp final : public measure::PairedComparison {
 public:
  MadeUp(size_t sides, const CompareOptions& options, measure::Observer* observer, uint64_t world)
      : PairedComparison(sides, options, observer), world_(world) {
    for (size_t i = 0; i < sides; ++i) {
      Series& series = out_.series.emplace_back();
      series.index = static_cast<int>(i);
      series.kernel = "made.cpu.side_" + std::to_string(i);
    }
  }
  int slots_per_block = 1, fails_at = 1 << 30;
  double gain = 0;  ///< ln t of a side less that of the next

 private:
  Result<void> steps() override {
    return take_rounds(plan_of(measure::kRounds, 1e9, slots_per_block),
                       [&](const std::vector<uint8_t>& order, std::vector<Sample>* samples) {
                         return time(order, samples);
                       });
  }
  Result<void> time(const std::vector<uint8_t>& order, std::vector<Sample>* samples) {
    for (const uint8_t side : order) {
      if (made_++ >= fails_at)
        return Error{ErrorCode::invalid, "it ended with code 3", out_.series[side].kernel, ""};
      const auto draw = static_cast<uint64_t>(made_);
      burst_ = 0.9 * burst_ + 0.01 * quality::normal(world_ + 5'000'000, draw);
      Sample sample;
      sample.t_ns = 1e6 * std::exp(std::abs(0.03 * quality::normal(world_, draw)) + burst_ +
                                   2e-4 * made_ - side * gain);
      simulated_s += sample.t_ns * 1e-9;
      samples->push_back(sample);
    }
    return {};
  }
  Comparison compared(const SidePair& pair) const override {
    Comparison comparison = unjudged(pair, options_.margin.value_or(default_margin(true)));
    measure::judge_sides(rounds(), {}, claims(), &comparison);
    return comparison;
  }
  void close(const Result<void>& outcome) override {
    for (Series& series : out_.series) close_series(outcome, series.kernel, &series);
  }
  uint64_t world_;
  int made_ = 0;
  double burst_ = 0;
};

CompareOptions quick(uint64_t world) {
  simulated_s = 0;
  CompareOptions options;
  options.clock = [] { return simulated_s; };
  options.order_seed = world;
  options.pauses = false;
  return options;
}

CompareOutcome run(MadeUp* made) {
  auto outcome = made->run();
  REQUIRE(outcome);
  return *std::move(outcome);
}

int false_verdicts(double margin, int slots, int runs, std::optional<double> limit_s = {}) {
  int count = 0;
  for (int i = 0; i < runs; ++i) {
    Watcher watcher;
    CompareOptions options = quick(uint64_t(i) + 1);
    options.margin = margin;
    options.limit_s = limit_s;
    options.goes_on = limit_s.has_value();
    MadeUp made(2, options, &watcher, uint64_t(i) + 1);
    made.slots_per_block = slots;
    const Verdict verdict = run(&made).comparisons.front().verdict;
    count += verdict == Verdict::faster || verdict == Verdict::slower;
  }
  return count;
}

TEST_CASE("comparison: A/A, at most one in twenty differs at a margin of 0, none by default") {
  for (const int slots : {1, 25}) {  // a long command; calls of which six rounds fill a block
    CHECK(false_verdicts(0, slots, 200) <= 10);
    CHECK(false_verdicts(default_margin(true), slots, 200) == 0);
  }
}

/// Of calls of about 1 ms: 40 rounds take about 0.16 s.
constexpr double kLong_s = 2.6;

TEST_CASE("comparison: A/A that goes on until a limit differs no more often") {
  CHECK(false_verdicts(0, 1, 200, kLong_s) <= 10);
  CHECK(false_verdicts(default_margin(true), 1, 200, kLong_s) == 0);
}

TEST_CASE("comparison: within a limit an unresolved one goes on, a settled one ends") {
  const auto rounds_of = [](double gain, std::optional<int64_t> rounds,
                            std::optional<double> limit_s) {
    Watcher watcher;
    CompareOptions options = quick(1);
    options.rounds = rounds;
    options.limit_s = limit_s;
    options.goes_on = limit_s.has_value();
    MadeUp made(2, options, &watcher, 1);
    made.gain = gain;
    const Comparison one = run(&made).comparisons.front();
    CHECK(one.rounds_s > 0);
    return one.rounds;
  };
  CHECK(rounds_of(0.02, {}, {}) == measure::kRounds);
  CHECK(rounds_of(0.02, {}, kLong_s) > 300);  // the truth is the margin itself
  CHECK(rounds_of(0.2, {}, kLong_s) == measure::kRounds);
  CHECK(rounds_of(0.02, 123, {}) == 123);
  CHECK(rounds_of(0.02, 1000, 0.1) < 100);
}

TEST_CASE("comparison: within a limit it goes on until a demanded ratio is settled too") {
  const auto rounds_for = [](std::optional<double> demanded) {
    Watcher watcher;
    CompareOptions options = quick(1);
    options.limit_s = kLong_s;
    options.goes_on = true;
    options.budget.ratio = demanded;
    MadeUp made(2, options, &watcher, 1);
    made.gain = std::log(1.5);
    const Comparison one = run(&made).comparisons.front();
    CHECK(one.verdict == Verdict::faster);
    return one.rounds;
  };
  const int settled = rounds_for(std::nullopt);
  CHECK(settled == 40);
  CHECK(rounds_for(1.2) == settled);
  CHECK(rounds_for(2.0) == settled);  // not met is settled too
  CHECK(rounds_for(1.499) > settled);
}

TEST_CASE("comparison: a ratio exactly at its demand is settled, either way, in few of many runs") {
  int settled = 0;
  for (uint64_t world = 1; world <= 200; ++world) {
    Watcher watcher;
    CompareOptions options = quick(world);
    options.limit_s = kLong_s;
    options.goes_on = true;
    options.budget.ratio = 1.5;
    MadeUp made(2, options, &watcher, world);
    made.gain = std::log(1.5);
    settled += reaches(run(&made).comparisons.front().ci, 1.5).has_value();
  }
  CHECK(settled <= 10);
}

TEST_CASE("comparison: a planted 10 % is found, each way") {
  for (const double gain : {0.1, -0.1}) {
    int found = 0;
    for (uint64_t i = 1; i <= 40; ++i) {
      Watcher watcher;
      const CompareOptions options = quick(i);
      MadeUp made(2, options, &watcher, i);
      made.gain = gain;
      found +=
          run(&made).comparisons.front().verdict == (gain > 0 ? Verdict::faster : Verdict::slower);
    }
    CHECK(found >= 38);
  }
}

TEST_CASE("comparison: a failure in a block keeps its whole rounds, all of them sent") {
  Watcher watcher;
  const CompareOptions options = quick(1);
  MadeUp made(3, options, &watcher, 1);
  made.slots_per_block = 25;       // two lead slots and three rounds of six
  made.fails_at = 20 + 2 + 6 + 3;  // within the second round of the second block
  const auto outcome = run(&made);
  REQUIRE(outcome.comparisons.size() == 2);
  for (const Comparison& one : outcome.comparisons) {
    CHECK(one.verdict == Verdict::invalid);
    CHECK(one.rounds == 4);
    CHECK_FALSE(one.ci);
    REQUIRE(one.reasons.size() == 1);
    CHECK(one.reasons[0].find("it ended with code 3") != std::string::npos);
  }
  CHECK(watcher.rounds_seen == 4);
  CHECK(watcher.samples_seen == 24);
  size_t failed = 0;
  for (const Series& series : outcome.series) {
    CHECK(series.samples.size() == 8);
    failed += series.status == SeriesStatus::failed;
  }
  CHECK(failed == 1);  // the one that the error names
}

TEST_CASE(
    "comparison: cancelled before its first round it is none; later, whole rounds are judged") {
  Watcher early;
  early.cancel_at_ask = 0;
  const CompareOptions options = quick(1);
  MadeUp none(2, options, &early, 1);
  const auto nothing = run(&none);
  CHECK(nothing.cancelled);
  CHECK(nothing.comparisons.empty());
  CHECK(early.announced == 0);

  Watcher later;
  later.cancel_at_ask = 7;
  MadeUp some(2, options, &later, 1);
  const auto outcome = run(&some);
  CHECK(outcome.cancelled);
  CHECK(outcome.comparisons.at(0).rounds == 7);
  CHECK(outcome.comparisons[0].reasons.back() == "cancelled");
}

TEST_CASE("comparison: pairs that are named are judged, each against its own baseline") {
  Watcher watcher;
  CompareOptions options = quick(5);
  options.pairs = {{0, 1}, {1, 2}, {0, 12}};
  MadeUp made(13, options, &watcher, 5);
  made.gain = std::log(2.0);
  const CompareOutcome outcome = run(&made);
  REQUIRE(outcome.comparisons.size() == 3);
  const std::vector<double> gains = {2, 2, 4096};
  for (size_t i = 0; i < 3; ++i) {
    const Comparison& one = outcome.comparisons[i];
    CHECK(one.pair() == options.pairs[i]);
    CHECK(one.baseline == "made.cpu.side_" + std::to_string(options.pairs[i].baseline));
    CHECK(one.candidate == "made.cpu.side_" + std::to_string(options.pairs[i].candidate));
    REQUIRE(one.ci);
    CHECK(one.ci->low < gains[i]);
    CHECK(one.ci->high > gains[i]);
    CHECK(one.verdict == Verdict::faster);
  }
}

TEST_CASE(
    "comparison: of equal sides that are all judged, one in twenty comparisons says faster or "
    "slower") {
  constexpr int kRuns = 200;
  int wrong = 0;
  for (int i = 0; i < kRuns; ++i) {
    Watcher watcher;
    CompareOptions options = quick(uint64_t(i) + 1);
    options.margin = 0;
    options.pairs = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}};
    MadeUp made(4, options, &watcher, uint64_t(i) + 1);
    const CompareOutcome outcome = run(&made);
    wrong +=
        std::any_of(outcome.comparisons.begin(), outcome.comparisons.end(), [](const auto& one) {
          return one.verdict == Verdict::faster || one.verdict == Verdict::slower;
        });
  }
  CHECK(wrong <= kRuns * 65 / 1000);
}

TEST_CASE("comparison: what it cannot hold is refused before anything runs") {
  const auto refused = [](size_t sides, std::vector<SidePair> pairs) {
    Watcher watcher;
    CompareOptions options = quick(1);
    options.pairs = std::move(pairs);
    MadeUp made(sides, options, &watcher, 1);
    const auto outcome = made.run();
    REQUIRE_FALSE(outcome);
    CHECK(watcher.announced == 0);
    return outcome.error().sentence();
  };
  CHECK(refused(37, {}) == "compare: 36 candidates at once; give at most 35");
  const std::string places = "; give places in its list of kernels, from 0 on";
  CHECK(refused(3, {{0, 3}}) == "pairs of compare: [0, 3] is no pair of 3 sides" + places);
  CHECK(refused(3, {{0, 1}, {2, 2}}) == "pairs of compare: [2, 2] is no pair of 3 sides" + places);
  CHECK(refused(3, {{-1, 1}}) == "pairs of compare: [-1, 1] is no pair of 3 sides" + places);
}

}  // namespace
}  // namespace ridge
