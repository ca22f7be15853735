// The ratio of two sums of parts that were compared in pairs: what is carried, A/A, and coverage, on simulated machines.
#include "common/stats/sum_ratio.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/simulation.h"

using namespace ridge;
using namespace ridge::test;

namespace {

/// A part of a made-up model: seconds of the baseline's calls, and ln t_baseline - ln t_candidate.
struct Part {
  double baseline_s, gain;
};

/// Each part compared in 40 rounds on a machine of its own seed, busy in turns.
stats::SumRatio compared(const std::vector<Part>& parts, uint64_t seed, double chain) {
  std::vector<stats::SumTerm> terms;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Machine machine = {.noise = 0.02, .drift = 0.02, .gain = parts[i].gain, .chain = chain};
    const auto rounds = simulate(machine, 40, 1000 * seed + i);
    const stats::PairedResult judged = stats::judge(rounds, 1, 0);
    // The baseline's own time is read a per cent off, and says so.
    const double off = 0.01 * quality::normal(seed + 9'000'000, i) / 1.96;
    terms.push_back({.baseline = parts[i].baseline_s * std::exp(off),
                     .baseline_error = 0.01,
                     .ratio = judged.ratio,
                     .ci = judged.ci});
  }
  return stats::sum_ratio(terms);
}

double truth_of(const std::vector<Part>& parts) {
  double before = 0, after = 0;
  for (const Part& part : parts) {
    before += part.baseline_s;
    after += part.baseline_s * std::exp(-part.gain);
  }
  return before / after;
}

}  // namespace

TEST_CASE("a sum of one part has the part's ratio and interval") {
  const stats::SumTerm term{
      .baseline = 2, .baseline_error = 0.1, .ratio = 1.2, .ci = Interval{1.1, 1.3}};
  const stats::SumRatio sum = stats::sum_ratio({&term, 1});
  CHECK(sum.ratio == Approx(1.2));
  REQUIRE(sum.ci);
  CHECK(sum.ci->low == Approx(1.1));
  CHECK(sum.ci->high == Approx(1.3));
}

TEST_CASE("parts weigh by their time: the candidate's sum is of times, not of ratios") {
  const stats::SumTerm terms[] = {{.baseline = 9, .ratio = 1, .ci = Interval{1, 1}},
                                  {.baseline = 1, .ratio = 2, .ci = Interval{2, 2}}};
  const stats::SumRatio sum = stats::sum_ratio(terms);
  CHECK(sum.ratio == Approx(10 / 9.5));  // Amdahl
  REQUIRE(sum.ci);
  CHECK(sum.ci->low == Approx(sum.ratio));
}

TEST_CASE(
    "errors of independent parts add up as squares, and a part without an interval leaves none") {
  const stats::SumTerm term{.baseline = 1, .ratio = 1, .ci = Interval{1 / 1.04, 1.04}};
  const std::vector<stats::SumTerm> four(4, term);
  const stats::SumRatio sum = stats::sum_ratio(four);
  CHECK(sum.ci->high - 1 == Approx(0.02).epsilon(0.05));
  CHECK(1 - sum.ci->low == Approx(0.02).epsilon(0.05));
  std::vector<stats::SumTerm> lacking = four;
  lacking[2].ci.reset();
  CHECK_FALSE(stats::sum_ratio(lacking).ci);
  CHECK_FALSE(stats::sum_ratio({}).ci);
}

TEST_CASE(
    "an error of a part's share widens the interval where the parts' ratios differ, else not") {
  std::vector<stats::SumTerm> terms = {{.baseline = 1, .ratio = 2, .ci = Interval{2, 2}},
                                       {.baseline = 1, .ratio = 1, .ci = Interval{1, 1}}};
  const auto width = [&] {
    const auto ci = stats::sum_ratio(terms).ci;
    return ci->high - ci->low;
  };
  CHECK(width() == Approx(0));
  terms[0].baseline_error = 0.1;
  CHECK(width() > 0.02);
  terms[1].ratio = 2, terms[1].ci = Interval{2, 2};
  CHECK(width() == Approx(0));
}

TEST_CASE("models: A/A, at most one in twenty differs at a margin of 0, none by default") {
  const std::vector<Part> parts = {{3, 0}, {1, 0}, {2, 0}, {6, 0}, {3, 0}, {0.5, 0}};
  for (const double chain : {0.0, 0.35}) {
    int at_zero = 0, by_default = 0;
    for (uint64_t run = 0; run < 200; ++run) {
      const auto ci = compared(parts, run, chain).ci;
      const auto differs = [&](double margin) {
        const Verdict verdict = stats::verdict_at(ci, margin);
        return verdict == Verdict::faster || verdict == Verdict::slower;
      };
      at_zero += differs(0), by_default += differs(0.02);
    }
    INFO(chain << ": " << at_zero);
    CHECK(at_zero <= 10);
    CHECK(by_default == 0);
  }
}

TEST_CASE("models: the interval holds the true ratio of the sums in 95 of 100") {
  const std::vector<Part> parts = {{3, 0.4}, {1, -0.1}, {2, 0.05}, {6, 0.2}, {3, 0}, {0.5, 0.9}};
  const double truth = truth_of(parts);
  int covered = 0;
  constexpr int kRuns = 400;
  for (uint64_t run = 0; run < kRuns; ++run) {
    const auto ci = compared(parts, run, 0).ci;
    covered += ci && ci->low <= truth && truth <= ci->high;
  }
  INFO(covered);
  CHECK(covered >= 0.94 * kRuns);
  CHECK(covered < kRuns);
}

TEST_CASE("an interval's verdict at a margin is that of judge()") {
  CHECK(stats::verdict_at(Interval{1.03, 1.1}, 0.02) == Verdict::faster);
  CHECK(stats::verdict_at(Interval{1.01, 1.1}, 0.02) == Verdict::unresolved);
  CHECK(stats::verdict_at(Interval{0.9, 0.97}, 0.02) == Verdict::slower);
  CHECK(stats::verdict_at(Interval{0.99, 1.01}, 0.02) == Verdict::same);
  CHECK(stats::verdict_at({}, 0.02) == Verdict::unresolved);
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto judged = stats::judge(simulate({.noise = 0.01, .gain = 0.015}, 40, seed), 1, 0.02);
    CHECK(stats::verdict_at(judged.ci, 0.02) == judged.verdict);
  }
}
