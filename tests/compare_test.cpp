// Interleaved comparison: schedules, verdicts, and what is refused.
#include "common/harness/measure/compare.h"

#include <algorithm>
#include <set>

#include "common/harness/measure/sustained.h"
#include "common/stats/stats.h"
#include "tests/capped_chip.h"
#include "tests/toy_family.h"

namespace ridge {
namespace {

measure::CompareOptions quick() {
  measure::CompareOptions options;
  options.warmup_s = 0.01;
  return options;
}

measure::CompareOutcome compare(FakeDevice* device, std::vector<const KernelDesc*> kernels,
                                Listener* listener, measure::CompareOptions options = quick(),
                                int64_t devices = 1) {
  measure::Bench bench;
  std::vector<measure::CompareSide> sides;
  for (const KernelDesc* k : kernels) sides.push_back({k, kParams, device, devices});
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

TEST_CASE("compare: a budget on energy asks the counter, and says why there are no joules") {
  FakeDevice device;
  device.call_ns = {{&kGood, 1e6}, {&kOther, 1.5e6}};
  Listener listener;
  auto options = quick();
  const auto reason = [&](int64_t devices = 1) {
    return compare(&device, {&kGood, &kOther}, &listener, options, devices)
        .series.at(1)
        .unavailable.at("energy_j");
  };
  CHECK(reason() == "energy is measured in mode measure only");
  options.budget.energy_j = 1;
  CHECK(reason() == device.energy_meter().error().sentence());
  CHECK(reason(4) == "fake: the counter is of one device, and a call works on 4");
}

TEST_CASE("compare: a tenfold difference is settled in twelve rounds, with an interval") {
  for (const double other : {0.08e6, 12e6}) {
    FakeDevice device;
    device.call_ns = {{&kGood, 1e6}, {&kOther, other}};
    Listener listener;
    const auto outcome = compare(&device, {&kGood, &kOther}, &listener);
    const Comparison& comparison = outcome.comparisons[0];
    CHECK(comparison.rounds == ridge::kFarRounds);
    REQUIRE(comparison.ci);
    CHECK(comparison.verdict == (other < 1e6 ? Verdict::faster : Verdict::slower));
    CHECK(comparison.ratio == Approx(1e6 / other).epsilon(1e-3));
  }
  // One candidate that is near needs all rounds, and so all of them have them.
  FakeDevice device;
  device.call_ns = {{&kGood, 1e6}, {&kOther, 12e6}};
  Listener listener;
  const auto outcome = compare(&device, {&kGood, &kOther, &kGood}, &listener);
  CHECK(outcome.comparisons[0].rounds == measure::kRounds);
}

TEST_CASE("compare: a rung against itself is SAME, whatever the clock does") {
  FakeDevice device;
  device.drift_per_slot = 1e-4;
  Listener listener;
  const auto outcome = compare(&device, {&kGood, &kGood}, &listener);
  CHECK(outcome.comparisons[0].verdict == Verdict::same);
}

TEST_CASE("compare: A/A, at most one in twenty differs at a margin of 0, none by default") {
  FakeDevice device;  // its noise goes on from comparison to comparison
  device.noise = 0.02;
  device.drift_per_slot = 1e-5;
  int at_zero = 0, by_default = 0;
  for (uint64_t run = 1; run <= 200; ++run) {
    Listener listener;
    measure::CompareOptions options = quick();
    options.warmup_s = 0, options.pauses = false;
    options.order_seed = run, options.margin = 0;
    const Comparison one = compare(&device, {&kGood, &kGood}, &listener, options).comparisons.at(0);
    at_zero += one.verdict == Verdict::faster || one.verdict == Verdict::slower;
    REQUIRE(one.ci);
    by_default += one.ci->low > 1.02 || one.ci->high < 1 / 1.02;
  }
  CHECK(at_zero <= 10);
  CHECK(by_default == 0);
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

TEST_CASE("compare: a side that refuses the problem leaves no verdict, only the reason") {
  FakeDevice device;
  Listener listener;
  measure::Bench bench;
  const KernelDesc refusing = picky();
  const auto outcome = measure::compare(
      &bench, {{&kGood, kParams, &device}, {&refusing, kParams, &device}}, quick(), &listener);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == ErrorCode::unavailable);
  CHECK(outcome.error().sentence() == "toy.cpu.picky: takes even sizes only");
  CHECK(device.blocks == 0);
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

TEST_CASE("compare: what is cancelled before the first round is no comparison") {
  FakeDevice device;
  Listener listener;
  listener.cancel_after = 0;
  const auto outcome = compare(&device, {&kGood, &kOther}, &listener);
  CHECK(outcome.cancelled);
  CHECK(outcome.comparisons.empty());
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

TEST_CASE("compare: balanced orders let each side follow each other one equally often") {
  for (int sides = 2; sides <= 10; ++sides) {
    const auto orders = stats::balanced_orders(sides);
    CHECK(orders.size() == size_t(sides % 2 == 0 ? sides : 2 * sides));
    std::map<std::pair<int, int>, int> follows;
    for (const auto& order : orders) {
      CHECK(std::set<int>(order.begin(), order.end()).size() == size_t(sides));
      for (size_t i = 1; i < order.size(); ++i) ++follows[std::pair(order[i - 1], order[i])];
    }
    CHECK(follows.size() == size_t(sides * (sides - 1)));
    for (const auto& [pair, count] : follows) CHECK(count == (sides % 2 == 0 ? 1 : 2));
  }
}

TEST_CASE("compare: with several candidates every neighbour comes before every other") {
  FakeDevice device;
  Listener listener;
  const auto outcome = compare(&device, {&kGood, &kOther, &kGood, &kOther}, &listener);
  REQUIRE(outcome.comparisons.size() == 3);
  std::set<std::string> follows;
  for (const Round& round : listener.all_rounds) {
    CHECK(round.order == std::string(round.order.rbegin(), round.order.rend()));
    for (size_t i = 1; i < round.order.size(); ++i) {
      if (round.order[i] != round.order[i - 1]) follows.insert(round.order.substr(i - 1, 2));
    }
  }
  CHECK(follows.size() == 12);
}

// ---- a chip whose power is capped ----------------------------------------------------------------

KernelDesc on_chip(const char* id) {
  KernelDesc desc = kernel(id, good);
  desc.backend = Backend::cuda;
  return desc;
}
const KernelDesc kCool = on_chip("toy.cuda.cool");
const KernelDesc kHot = on_chip("toy.cuda.hot");

TEST_CASE("compare: fewer cycles at more energy each lose where the power is capped") {
  CappedChip chip;
  // 4 % fewer cycles, and a clock of its own that is 7 % lower: 1.042 of cycles, 0.967 of time.
  chip.loads = {{&kCool, {2e6, 2.0}}, {&kHot, {1.92e6, 2.5}}};
  Listener listener;
  const auto outcome = compare(&chip, {&kCool, &kHot}, &listener);
  const Comparison& comparison = outcome.comparisons[0];
  REQUIRE(comparison.equal_clock);
  CHECK(comparison.equal_clock->verdict == Verdict::faster);
  CHECK(comparison.equal_clock->ratio == Approx(1 / 0.96).epsilon(2e-3));
  CHECK(comparison.equal_clock->rounds == measure::kRounds);
  CHECK(comparison.verdict == Verdict::slower);
  CHECK(comparison.ratio == Approx(std::cbrt(2.0 / 2.5) / 0.96).epsilon(2e-3));
  CHECK(comparison.rounds == measure::kTurns);
  REQUIRE(comparison.ci);
  REQUIRE(comparison.sustained.size() == 2);
  CHECK(*comparison.sustained[0].sm_clock_hz == Approx(2e9 / std::cbrt(2.0)).epsilon(2e-3));
  CHECK(*comparison.sustained[1].sm_clock_hz == Approx(2e9 / std::cbrt(2.5)).epsilon(2e-3));
  CHECK(contains(comparison.clock, "power cap"));
  CHECK(contains(comparison.clock, "ran alone"));
  for (const Series& series : outcome.series) CHECK(contains(series.note, "; alone "));
  for (const Round& round : listener.all_rounds) REQUIRE(round.sm_clock_hz.size() == 4);
  // Of a call that works on several chips the counter sees one: it is not asked.
  const int asked = std::exchange(chip.meters_asked, 0);
  CHECK(asked > 0);
  compare(&chip, {&kCool, &kHot}, &listener, quick(), 4);
  CHECK(chip.meters_asked == 0);
}

TEST_CASE(
    "compare: under the cap as above it, a rung against itself is the same in both verdicts") {
  for (const double energy : {0.5, 3.0}) {
    CappedChip chip;
    chip.loads = {{&kCool, {2e6, energy}}};
    Listener listener;
    const auto outcome = compare(&chip, {&kCool, &kCool}, &listener);
    const Comparison& comparison = outcome.comparisons[0];
    CHECK(comparison.verdict == Verdict::same);
    CHECK(comparison.equal_clock.has_value() == (energy > 1));
    if (comparison.equal_clock) CHECK(comparison.equal_clock->verdict == Verdict::same);
    CHECK(comparison.clock_held == (energy > 1));
    if (!comparison.equal_clock) CHECK(contains(comparison.clock, "not held down"));
  }
}

TEST_CASE("compare: 3 % more work is found each way, at one clock and alone") {
  for (const double more : {1.03, 1 / 1.03}) {
    CappedChip chip;
    chip.names_cap = false;  // the clock of the slots tells it as well
    chip.loads = {{&kCool, {2e6, 2}}, {&kHot, {2e6 * more, 2}}};
    Listener listener;
    const auto outcome = compare(&chip, {&kCool, &kHot}, &listener);
    const Verdict expected = more > 1 ? Verdict::slower : Verdict::faster;
    REQUIRE(outcome.comparisons[0].equal_clock);
    CHECK(outcome.comparisons[0].equal_clock->verdict == expected);
    CHECK(outcome.comparisons[0].verdict == expected);
    CHECK(outcome.comparisons[0].ratio == Approx(1 / more).epsilon(3e-3));
  }
}

TEST_CASE("compare: a clock at its highest is not held down, whatever cap the chip met") {
  const auto look = [](double seen_hz, std::vector<std::string> held_by) {
    return measure::ClockLook{
        .free_hz = 1980e6, .lowest_hz = seen_hz, .held_by = std::move(held_by)};
  };
  CHECK_FALSE(look(1993e6, {"power cap"}).is_held());
  CHECK(look(1993e6, {}).sentence() == "the clock was not held down: 1980 of 1980 MHz");
  CHECK(look(1945e6, {"power cap"}).is_held());
  CHECK_FALSE(look(1945e6, {}).is_held());  // within the 2 % that a free clock moves
  CHECK(look(1900e6, {}).is_held());
  CHECK(look(0, {"power cap"}).is_held());  // where the clock cannot be read
}

TEST_CASE("compare: without sustained turns a held clock is said, and the rounds' verdict stands") {
  CappedChip chip;
  chip.loads = {{&kCool, {2e6, 2}}, {&kHot, {1.92e6, 2.5}}};
  Listener listener;
  measure::CompareOptions options = quick();
  options.sustained = false;
  const auto outcome = compare(&chip, {&kCool, &kHot}, &listener, options);
  const Comparison& comparison = outcome.comparisons[0];
  CHECK(comparison.sustained.empty());
  CHECK_FALSE(comparison.equal_clock);
  CHECK(comparison.verdict == Verdict::faster);
  CHECK(comparison.clock_held);
  CHECK(contains(comparison.clock, "alone was not measured"));
}

TEST_CASE("compare: cancelled in a sustained turn, the rounds' verdict is kept") {
  struct Impatient : Listener {
    mutable int asked = 0;
    bool cancelled() const override {
      return !phases.empty() && phases.back() == "sustained" && ++asked > 50;
    }
  } listener;
  CappedChip chip;
  chip.loads = {{&kCool, {2e6, 2}}, {&kHot, {1.92e6, 2.5}}};
  const auto outcome = compare(&chip, {&kCool, &kHot}, &listener);
  CHECK(outcome.cancelled);
  CHECK(outcome.comparisons[0].rounds == measure::kRounds);
  CHECK(outcome.comparisons[0].verdict == Verdict::faster);
  CHECK(outcome.comparisons[0].sustained.empty());
  CHECK(contains(outcome.comparisons[0].clock, "did not end"));
}

TEST_CASE("compare: sides of two classes of accuracy say so, sides of one do not") {
  FakeDevice device;
  Listener listener;
  KernelDesc weaker = kOther;
  weaker.accuracy = Accuracy::max_norm;
  const auto says_so = [&](const KernelDesc& candidate) {
    const auto outcome = compare(&device, {&kGood, &candidate}, &listener);
    const std::string sentence =
        "toy.cpu.other is accurate to the largest of A and B (max norm), toy.cpu.good in each "
        "element "
        "(componentwise)";
    CHECK(outcome.series[0].note.empty());
    CHECK(contains(outcome.series[1].note, "(max norm)") == (candidate.accuracy != kGood.accuracy));
    const auto& reasons = outcome.comparisons[0].reasons;
    return std::find(reasons.begin(), reasons.end(), sentence) != reasons.end();
  };
  CHECK(says_so(weaker));
  CHECK_FALSE(says_so(kOther));
}

}  // namespace
}  // namespace ridge
