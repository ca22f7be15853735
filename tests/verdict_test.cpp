// Verdicts of the paired comparison: by hand, and by simulation under noise, drift and ties.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "common/harness/quality/quality.h"
#include "common/stats/stats.h"
#include "tests/catch.h"
#include "tests/simulation.h"

using namespace ridge;
using namespace ridge::test;

namespace {

/// ABBA for an even index, BAAB for an odd one, with ln t_base - ln t_cand = d.
Round round_of(int index, double d, double base = 1000) {
  Round round;
  round.index = index;
  round.order = index % 2 == 0 ? "0110" : "1001";
  for (const char side : round.order)
    round.t_ns.push_back(side == '0' ? base : base * std::exp(-d));
  return round;
}

std::vector<Round> rounds_of(const std::vector<double>& ratios) {
  std::vector<Round> rounds;
  for (const double d : ratios) rounds.push_back(round_of(static_cast<int>(rounds.size()), d));
  return rounds;
}

}  // namespace

TEST_CASE("a round's log ratio") {
  // ln(20 * 40) - ln(10 * 10), halved: ln 8 / 2; positive, the candidate is faster.
  Round round{0, "0110", {20, 10, 10, 40}};
  CHECK(stats::round_log_ratio(round, 1) == Approx(std::log(8.0) / 2));
  round = {0, "1001", {10, 20, 40, 10}};
  CHECK(stats::round_log_ratio(round, 1) == Approx(std::log(8.0) / 2));
  // Two candidates share the baseline's slots.
  round = {0, "012210", {8, 4, 2, 2, 4, 8}};
  CHECK(stats::round_log_ratio(round, 1) == Approx(std::log(2.0)));
  CHECK(stats::round_log_ratio(round, 2) == Approx(std::log(4.0)));
  round = {0, "201102", {2, 8, 4, 4, 8, 2}};
  CHECK(stats::round_log_ratio(round, 2) == Approx(std::log(4.0)));
  // Two candidates against each other, and either way round.
  CHECK(stats::round_log_ratio(round, {1, 2}) == Approx(std::log(2.0)));
  CHECK(stats::round_log_ratio(round, {2, 1}) == Approx(-std::log(2.0)));
}

TEST_CASE("every side has a mark of its own in a round's order") {
  std::string order;
  for (size_t side = 0; side < kMostSides; ++side) {
    CHECK(marked_side(side_mark(side)) == static_cast<int>(side));
    order += side_mark(side);
  }
  for (const char mark : {' ', '/', ':', 'A', '`', '{'}) CHECK(marked_side(mark) == -1);
  order += std::string(order.rbegin(), order.rend());
  Round round{0, order, std::vector<double>(order.size(), 1)};
  round.t_ns[10] = round.t_ns[order.size() - 11] = 4;
  CHECK(stats::round_log_ratio(round, {10, 35}) == Approx(std::log(4.0)));
  CHECK(stats::round_log_ratio(round, {9, 35}) == 0);
}

TEST_CASE("malformed rounds have no log ratio") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<Round> bad = {
      {0, "", {}},
      {0, "0110", {1, 1, 1}},  // a time is missing
      {0, "011", {1, 1, 1}},
      {0, "0101", {1, 1, 1, 1}},  // no palindrome: drift would not cancel
      {0, "0011", {1, 1, 1, 1}},
      {0, "0000", {1, 1, 1, 1}},  // no candidate
      {0, "01111110", {1, 1, 1, 1, 1, 1, 1, 1}},
      {0, "0110", {1, 0, 1, 1}},
      {0, "0110", {1, 1, -1, 1}},
      {0, "0110", {nan, 1, 1, 1}},
      {0, "0110", {1, 1, 1, inf}},
  };
  for (const Round& round : bad) {
    CAPTURE(round.order);
    CHECK(std::isnan(stats::round_log_ratio(round, 1)));
  }
  const Round good{0, "0110", {1, 1, 1, 1}};
  CHECK(stats::round_log_ratio(good, 1) == 0);
  for (const int side : {-1, 0, 2, 10}) {
    CHECK(std::isnan(stats::round_log_ratio(good, side)));
    CHECK(std::isnan(stats::round_log_ratio(good, {side, 0})));
  }

  // Left out of the verdict, and said.
  std::vector<Round> rounds = rounds_of({0.1, 0.1, 0.1, 0.1, 0.1, 0.1});
  rounds.insert(rounds.begin(), bad.begin(), bad.end());
  const stats::PairedResult result = stats::judge(rounds, 1, 0.02);
  CHECK(result.verdict == Verdict::faster);
  CHECK(result.rounds == 6);
  REQUIRE(result.reasons.size() == 1);
  CHECK(result.reasons[0].find("11 of 17 rounds left out") == 0);
}

TEST_CASE("the interval and the margin make the verdict") {
  const auto judge = [](const std::vector<double>& d, double margin) {
    return stats::judge(rounds_of(d), 1, margin);
  };
  // Six rounds: the interval is their range. ln 1.02 = 0.0198.
  CHECK(judge({.021, .03, .03, .03, .03, .04}, 0.02).verdict == Verdict::faster);
  CHECK(judge({.019, .03, .03, .03, .03, .04}, 0.02).verdict == Verdict::unresolved);
  CHECK(judge({-.021, -.03, -.03, -.03, -.03, -.04}, 0.02).verdict == Verdict::slower);
  CHECK(judge({-.019, -.03, -.03, -.03, -.03, -.04}, 0.02).verdict == Verdict::unresolved);
  CHECK(judge({-.019, 0, 0, 0, 0, .019}, 0.02).verdict == Verdict::same);
  CHECK(judge({-.021, 0, 0, 0, 0, .021}, 0.02).verdict == Verdict::unresolved);

  // The margin is one of the ratio: ln 1.1 = 0.0953.
  CHECK(judge({.096, .2, .2, .2, .2, .2}, 0.1).verdict == Verdict::faster);
  // One round out of line moves the interval, not the ratio.
  CHECK(judge({0, 0, 0, 0, 0, .6}, 0.02).ratio == 1);

  const stats::PairedResult result = judge({.01, .02, .03, .05, .06, .07}, 0.02);
  CHECK(result.rounds == 6);
  CHECK(result.ratio == Approx(std::exp(0.04)));
  REQUIRE(result.ci);
  CHECK(result.ci->low == Approx(std::exp(0.01)));
  CHECK(result.ci->high == Approx(std::exp(0.07)));
  // The lower side, 0.03, and half as much for the next median must shrink to 0.04 - 0.0198: 6 * (1.5 * 0.03 / 0.0202)^2.
  CHECK(result.rounds_needed == 30);
  // The side that binds counts, and not the mean of both.
  CHECK(judge({-.01, -.04, -.04, -.04, -.04, -.05}, 0.02).rounds_needed == 30);
  CHECK(judge({-.01, -.03, -.04, -.04, -.04, -.09}, 0.02).rounds_needed == 30);
  REQUIRE(result.reasons.size() == 1);
  CHECK(result.reasons[0].find("[1.010, 1.073]") != std::string::npos);
}

TEST_CASE("six rounds are needed, seven with two candidates") {
  const std::vector<double> clear(6, 0.5);
  const stats::PairedResult five =
      stats::judge(rounds_of({clear.begin(), clear.end() - 1}), 1, 0.02);
  CHECK(five.verdict == Verdict::unresolved);
  CHECK_FALSE(five.ci);
  CHECK(five.rounds_needed == 6);
  CHECK(five.ratio == Approx(std::exp(0.5)));
  CHECK(stats::judge(rounds_of(clear), 1, 0.02, 1).verdict == Verdict::faster);
  const stats::PairedResult of_two = stats::judge(rounds_of(clear), 1, 0.02, 2);
  CHECK(of_two.verdict == Verdict::unresolved);
  CHECK(of_two.rounds_needed == 7);
  CHECK(stats::judge(rounds_of(std::vector<double>(7, 0.5)), 1, 0.02, 2).verdict ==
        Verdict::faster);

  const stats::PairedResult none = stats::judge({}, 1, 0.02);
  CHECK(none.verdict == Verdict::unresolved);
  CHECK_FALSE(none.ci);
  CHECK(none.reasons.size() == 1);
}

TEST_CASE("exact equality and ties") {
  CHECK(stats::judge(rounds_of(std::vector<double>(8, 0)), 1, 0.02).verdict == Verdict::same);
  CHECK(stats::judge(rounds_of(std::vector<double>(8, 0)), 1, 0).verdict == Verdict::same);
  // A coarse clock: most rounds tie, a few differ by one tick of 10 %.
  std::vector<double> ties(40, 0);
  for (size_t i = 0; i < 5; ++i) ties[8 * i] = 0.1;
  CHECK(stats::judge(rounds_of(ties), 1, 0.02).verdict == Verdict::same);
  for (size_t i = 0; i < 20; ++i) ties[i] = 0.1;
  CHECK(stats::judge(rounds_of(ties), 1, 0.02).verdict == Verdict::unresolved);
  // On the boundary itself no number of rounds can tell.
  const stats::PairedResult edge = stats::judge(
      rounds_of({0.01, 0.01, std::log1p(0.02), std::log1p(0.02), 0.03, 0.03}), 1, 0.02);
  CHECK(edge.verdict == Verdict::unresolved);
  CHECK(edge.rounds_needed == 0);
}

TEST_CASE("an unresolved comparison names rounds that would settle it") {
  // 2.5 % under 2 % noise stands 0.5 % from the margin: 40 rounds seldom do.
  const Machine machine = {.noise = 0.02, .gain = std::log(1.025)};
  int unresolved = 0, settled = 0;
  for (uint64_t run = 0; run < 60; ++run) {
    const stats::PairedResult first = stats::judge(simulate(machine, 40, run), 1, 0.02);
    if (first.verdict != Verdict::unresolved || first.rounds_needed == 0) continue;
    CHECK(first.rounds_needed > 40);
    ++unresolved;
    // The true distance, not this run's, needs 4 to 8 times as many.
    settled += stats::judge(simulate(machine, 400, run + 500), 1, 0.02).verdict == Verdict::faster;
  }
  CHECK(unresolved >= 40);
  CHECK(settled >= unresolved * 8 / 10);
}

TEST_CASE("drift cancels within a round, and would not between A and then B") {
  // Without noise a linear drift leaves nothing at all.
  for (const Round& round : simulate({.noise = 0, .drift = 0.5}, 10, 1))
    CHECK(std::abs(stats::round_log_ratio(round, 1)) < 1e-12);

  constexpr int kRuns = 1000;
  const Machine drifting = {.noise = 0.005, .drift = 0.01};
  CHECK(count_verdicts(drifting, 0, kDifferent, kRuns) <= kRuns * 65 / 1000);
  CHECK(count_verdicts(drifting, 0, kDifferent, kRuns, true) >= kRuns * 90 / 100);
}

TEST_CASE("a kernel against itself is called different in at most 5 %") {
  constexpr int kRuns = 2000;
  // The sign test's interval of 40 independent rounds misses in 3.8 %, whatever the noise looks like.
  const Machine machines[] = {
      {.noise = 0.01},
      {.noise = 0.01, .tail = [](double z) { return std::exp(z); }},           // skewed
      {.noise = 0.01, .tail = [](double z) { return z < 0.5 ? z : 10 + z; }},  // two humps
      {.noise = 0.005, .drift = 0.01},
      {.noise = 0.01, .chain = 0.35}};  // 7 % without the allowance for it
  for (const Machine& machine : machines)
    CHECK(count_verdicts(machine, 0, kDifferent, kRuns) <= kRuns * 5 / 100);
  // The margin leaves nothing of it, and most runs say same.
  CHECK(count_verdicts({.noise = 0.01}, 0.02, kDifferent, kRuns) == 0);
  CHECK(count_verdicts({.noise = 0.01}, 0.02, {Verdict::same}, kRuns) >= kRuns * 99 / 100);
}

TEST_CASE("a planted difference is found") {
  constexpr int kRuns = 1000;
  CHECK(count_verdicts({.noise = 0.01, .gain = std::log(1.03)}, 0.02, {Verdict::faster}, kRuns) >=
        kRuns * 95 / 100);
  CHECK(count_verdicts({.noise = 0.01, .gain = -std::log(1.03)}, 0.02, {Verdict::slower}, kRuns) >=
        kRuns * 95 / 100);
  // One just inside the margin is not.
  CHECK(count_verdicts({.noise = 0.01, .gain = std::log(1.015)}, 0.02, kDifferent, kRuns) <=
        kRuns * 1 / 100);
}

TEST_CASE("two candidates share the error") {
  // False verdicts on either of two equal candidates stay within 5 % of comparisons.
  constexpr int kRuns = 1500;
  int wrong = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<Round> rounds;
    for (int r = 0; r < 40; ++r) {
      Round round{r, r % 2 == 0 ? "012210" : "210012", {}};
      for (uint64_t slot = 0; slot < 6; ++slot)
        round.t_ns.push_back(std::exp(0.01 * quality::normal(static_cast<uint64_t>(run) + 9000,
                                                             static_cast<uint64_t>(r) * 6 + slot)));
      rounds.push_back(round);
    }
    const auto different = [&](int side) {
      const Verdict verdict = stats::judge(rounds, side, 0, 2).verdict;
      return verdict == Verdict::faster || verdict == Verdict::slower;
    };
    wrong += different(1) || different(2);
  }
  CHECK(wrong <= kRuns * 65 / 1000);
}
