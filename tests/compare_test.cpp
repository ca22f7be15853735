// Interleaved comparison: schedules, verdicts, and what is refused.
#include "common/harness/measure/compare.h"

#include "tests/toy_family.h"

namespace ridge {
namespace {

measure::CompareOptions quick() {
  measure::CompareOptions options;
  options.warmup_s = 0.01;
  return options;
}

measure::CompareOutcome compare(FakeDevice* device, std::vector<const KernelDesc*> kernels,
                                Listener* listener, measure::CompareOptions options = quick()) {
  measure::Bench bench;
  std::vector<measure::CompareSide> sides;
  for (const KernelDesc* k : kernels) sides.push_back({k, kParams, device});
  auto outcome = measure::compare(&bench, sides, options, listener);
  REQUIRE(outcome);
  return std::move(*outcome);
}

TEST_CASE("compare: a rung 1.5 times slower is SLOWER, in palindromes, with percentiles") {
  FakeDevice device;
  device.call_ns = {{&kGood, 1e6}, {&kOther, 1.5e6}};
  device.drift_per_slot = 1e-4;  // 1 % over the comparison
  Listener listener;
  const auto outcome = compare(&device, {&kGood, &kOther}, &listener);
  REQUIRE(outcome.comparisons.size() == 1);
  const Comparison& comparison = outcome.comparisons[0];
  CHECK(comparison.verdict == Verdict::slower);
  CHECK(comparison.ratio == Approx(1 / 1.5).epsilon(1e-3));
  CHECK(comparison.rounds == measure::kRounds);
  CHECK(comparison.margin == 0.02);
  int abba = 0;
  for (const Round& round : listener.all_rounds) {
    CHECK((round.order == "0110" || round.order == "1001"));
    CHECK(round.t_ns.size() == 4);
    abba += round.order == "0110";
  }
  CHECK(abba > 0);
  CHECK(abba < measure::kRounds);
  REQUIRE(outcome.series.size() == 2);
  for (const Series& series : outcome.series) {
    CHECK(series.samples.size() == 80);
    CHECK(series.latency->p95_ns);
    CHECK(series.quality_passed());
  }
}

TEST_CASE("compare: a rung against itself is SAME, whatever the clock does") {
  FakeDevice device;
  device.drift_per_slot = 1e-4;
  Listener listener;
  const auto outcome = compare(&device, {&kGood, &kGood}, &listener);
  CHECK(outcome.comparisons[0].verdict == Verdict::same);
}

TEST_CASE("compare: two candidates, one of them wrong, is INVALID and nothing is timed") {
  FakeDevice device;
  Listener listener;
  const KernelDesc wrong = kernel("toy.cpu.zeros", zeros);
  const auto outcome = compare(&device, {&kGood, &kOther, &wrong}, &listener);
  REQUIRE(outcome.comparisons.size() == 2);
  for (const Comparison& comparison : outcome.comparisons) {
    CHECK(comparison.verdict == Verdict::invalid);
    CHECK(contains(comparison.reasons.at(0), "toy.cpu.zeros"));
    CHECK_FALSE(comparison.ci);
  }
  CHECK(device.blocks == 0);
  CHECK(outcome.series[2].status == SeriesStatus::failed);
  CHECK(outcome.series[0].status == SeriesStatus::skipped);
}

bool told = false;
Status wrong_when_told(const Launch& l) {
  answer(l);
  if (told) y_of(l)[0] += 1;
  return {};
}

TEST_CASE("compare: a side that goes wrong during the rounds makes it INVALID") {
  struct Teller : Listener {
    void rounds(std::span<const Round> some) override {
      told = true;
      Listener::rounds(some);
    }
  } listener;
  FakeDevice device;
  told = false;
  const KernelDesc wrong = kernel("toy.cpu.turns_wrong", wrong_when_told);
  const auto outcome = compare(&device, {&kGood, &wrong}, &listener);
  CHECK(outcome.comparisons[0].verdict == Verdict::invalid);
  CHECK_FALSE(outcome.comparisons[0].ci);
  CHECK(outcome.series[1].status == SeriesStatus::failed);
  CHECK_FALSE(outcome.series[1].stats);
}

TEST_CASE("compare: the limit ends it, but not before an interval is possible") {
  FakeDevice device;
  device.slots = 1;  // one round a block
  Listener listener;
  measure::CompareOptions options = quick();
  options.limit_s = 1e-6;
  const auto outcome = compare(&device, {&kGood, &kOther, &kGood}, &listener, options);
  CHECK(outcome.comparisons[0].rounds == 7);  // two candidates
  CHECK(outcome.comparisons[0].ci);
  CHECK(listener.all_rounds[0].order.size() == 6);
  for (const auto& order : device.orders) CHECK(order.size() == 6);  // no lead slots
}

TEST_CASE("compare: cancelled between blocks, the rounds so far are judged") {
  FakeDevice device;
  Listener listener;
  listener.cancel_after = 40;
  const auto outcome = compare(&device, {&kGood, &kOther}, &listener);
  CHECK(outcome.cancelled);
  CHECK(outcome.comparisons[0].rounds > 0);
  CHECK(outcome.comparisons[0].rounds < measure::kRounds);
  CHECK(outcome.series[0].status == SeriesStatus::cancelled);
}

TEST_CASE("compare: sides of different sizes have buffers of their own, and say so") {
  FakeDevice device;
  Listener listener;
  measure::Bench bench;
  const Params small = {{"n", int64_t{50}}, {"twin", int64_t{50}}};
  const auto outcome = measure::compare(
      &bench, {{&kGood, kParams, &device}, {&kGood, small, &device}}, quick(), &listener);
  REQUIRE(outcome);
  CHECK(contains(outcome->comparisons[0].reasons.at(0), "buffers of its own"));
  CHECK(contains(outcome->comparisons[0].reasons.at(0), ": n 50 instead of "));
}

}  // namespace
}  // namespace ridge
