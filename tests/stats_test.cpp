// Statistics of one series against answers worked out by hand, and their promises by simulation.
#include "common/stats/stats.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "common/harness/quality/quality.h"
#include "tests/catch.h"
#include "tests/simulation.h"

using namespace ridge;
using namespace ridge::test;

namespace {

std::vector<double> one_to(int n) {
  std::vector<double> values;
  for (int i = 1; i <= n; ++i) values.push_back(i);
  return values;
}

}  // namespace

TEST_CASE("quantiles interpolate between order statistics") {
  const std::vector<double> values = {40, 10, 30, 20};
  CHECK(stats::quantile(values, 0) == 10);
  CHECK(stats::quantile(values, 1) == 40);
  CHECK(stats::quantile(values, 0.25) == Approx(17.5));
  CHECK(stats::median(values) == Approx(25));
  CHECK(stats::median(std::vector<double>{3, 1, 2}) == 2);
  CHECK(stats::median(std::vector<double>{7}) == 7);
  CHECK(std::isnan(stats::median({})));
}

TEST_CASE("the median's interval has the ranks of the binomial tables") {
  // Largest r with 2 P(Binomial(n, 1/2) <= r - 1) <= 0.05, n = 6 to 20, by hand.
  const int ranks[] = {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5, 6};
  for (int n = 6; n <= 20; ++n) {
    CAPTURE(n);
    const auto interval = stats::median_interval(one_to(n));
    REQUIRE(interval);
    CHECK(interval->low == ranks[n - 6]);
    CHECK(interval->high == n + 1 - ranks[n - 6]);
  }
  for (int n = 0; n <= 5; ++n) CHECK_FALSE(stats::median_interval(one_to(n)));
  CHECK(stats::fewest_for_interval(0.95) == 6);
  CHECK(stats::fewest_for_interval(0.975) == 7);
  CHECK_FALSE(stats::median_interval(one_to(6), 0.975));
  // Exactly reached: six values cover with 1 - 2/64.
  CHECK(stats::median_interval(one_to(6), 1 - 2.0 / 64)->low == 1);
  // By exact integer arithmetic; the second is where 2^-n is no longer a double.
  CHECK(stats::median_interval(one_to(1000))->low == 469);
  CHECK(stats::median_interval(one_to(10000))->low == 4902);
}

TEST_CASE("correlated values widen the interval as fewer values would") {
  const std::vector<double> values = one_to(80);
  // 20 independent values: ranks 6 and 15, 4.5 of 20 from the middle; 18 of 80.
  const auto interval = stats::median_interval(values, 0.95, 4);
  CHECK(interval->low == 22);
  CHECK(interval->high == 59);
  // However correlated, never wider than the fewest values' range as a share of n.
  CHECK(stats::median_interval(values, 0.95, 1000)->low == 7);
  CHECK(stats::median_interval(one_to(6), 0.95, 3)->low == 1);
}

TEST_CASE("correlation time") {
  CHECK(stats::correlation_time({}) == 1);
  CHECK(stats::correlation_time(std::vector<double>(50, 0.1)) == 1);
  // Covariances 4, 1, -2, -1: the pair (0, 1) counts, the pair (2, 3) is negative. 2 * 5/4 - 1.
  CHECK(stats::correlation_time(std::vector<double>{1, 1, -1, -1}) == Approx(1.5));
  // Alternating values say more than independent ones; that is not believed.
  CHECK(stats::correlation_time(std::vector<double>{1, -1, 1, -1, 1, -1}) == 1);
  // AR(1): (1 + rho) / (1 - rho).
  CHECK(stats::correlation_time(autoregressive(20000, 0.5, 1)) == Approx(3).epsilon(0.1));
  CHECK(stats::correlation_time(autoregressive(20000, 0.0, 2)) == Approx(1).epsilon(0.1));
}

TEST_CASE("summary of a series") {
  std::vector<double> times = one_to(20);
  times[19] = 1000;
  const Stats stats = stats::summarize(samples_of(times));
  CHECK(stats.n == 20);
  CHECK(stats.min_ns == 1);
  CHECK(stats.q1_ns == Approx(5.75));
  CHECK(stats.median_ns == Approx(10.5));
  CHECK(stats.q3_ns == Approx(15.25));
  CHECK(stats.max_ns == 1000);
  CHECK(stats.outliers == 1);
  CHECK(stats.noise == Approx(9.5 / 10.5));
  CHECK(stats.correlation_samples > 4);  // a steady rise
  CHECK(has_flag(stats.flags, "correlated"));

  const Stats nothing = stats::summarize({});
  CHECK(nothing.n == 0);
  CHECK_FALSE(nothing.ci_ns);
  CHECK(has_flag(nothing.flags, "few_samples"));
}

TEST_CASE("under six samples there is a range and no interval") {
  const Stats five = stats::summarize(samples_of({5, 3, 4, 1, 2}));
  CHECK_FALSE(five.ci_ns);
  CHECK(five.min_ns == 1);
  CHECK(five.max_ns == 5);
  CHECK(has_flag(five.flags, "few_samples"));
  const Stats six = stats::summarize(samples_of({5, 3, 6, 4, 1, 2}));
  REQUIRE(six.ci_ns);
  CHECK(six.ci_ns->low == 1);
  CHECK(six.ci_ns->high == 6);
  CHECK_FALSE(has_flag(six.flags, "few_samples"));
}

TEST_CASE("an outlier hides no correlation") {
  std::vector<double> times;
  for (const double x : autoregressive(400, 0.9, 3)) times.push_back(1000 + x);
  const double before = stats::summarize(samples_of(times)).correlation_samples;
  times[100] = 1e9;
  const Stats stats = stats::summarize(samples_of(times));
  CHECK(stats.correlation_samples == Approx(before).epsilon(0.1));
  CHECK(has_flag(stats.flags, "correlated"));
}

TEST_CASE("outliers are tagged, kept, and tagged anew") {
  std::vector<double> times = one_to(12);
  times.push_back(500);
  std::vector<Sample> samples = samples_of(times);
  samples[0].flags = {"stolen", "outlier"};
  stats::tag_outliers(&samples);
  stats::tag_outliers(&samples);
  REQUIRE(samples.size() == 13);
  CHECK(samples[12].flags == std::vector<std::string>{"outlier"});
  CHECK(samples[0].flags == std::vector<std::string>{"stolen"});
  CHECK(stats::summarize(samples).outliers == 1);
  std::vector<Sample> none;
  stats::tag_outliers(&none);

  // Quartiles 12 and 18: the fences stand at 3 and 27, on both sides.
  times = {1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 29};
  samples = samples_of(times);
  stats::tag_outliers(&samples);
  CHECK(has_flag(samples[0].flags, "outlier"));
  CHECK(has_flag(samples[12].flags, "outlier"));
  CHECK(stats::summarize(samples).outliers == 2);
  times[12] = 27;
  CHECK(stats::summarize(samples_of(times)).outliers == 1);
}

TEST_CASE("percentiles only where there are enough samples") {
  const auto of = [](int n) { return stats::summarize_latency(samples_of(one_to(n))); };
  CHECK(of(0).n == 0);
  CHECK_FALSE(of(1).p50_ns);
  CHECK(of(2).p50_ns == Approx(1.5));
  CHECK_FALSE(of(28).p90_ns);
  CHECK(of(29).p90_ns);
  CHECK_FALSE(of(58).p95_ns);
  CHECK(of(59).p95_ns);
  CHECK_FALSE(of(298).p99_ns);
  CHECK(*of(301).p99_ns == Approx(298));
  CHECK(*of(301).p90_ns == Approx(271));
}

TEST_CASE("a series stops at its looks only") {
  stats::StopRule rule;  // 20 to 1000 samples, 0.5 %, 10 s
  std::vector<double> times;
  for (int i = 0; i < 60; ++i) times.push_back(1000 + (i % 2 == 0 ? 1 : -1));  // +-0.1 %
  const auto at = [&](int n) {
    return stats::should_stop(samples_of({times.begin(), times.begin() + n}), 1, rule);
  };
  CHECK_FALSE(at(19).stop);
  CHECK(at(19).next_look == 20);
  CHECK(at(12).open == "12 of 20 samples");
  CHECK(at(20).stop);
  CHECK(at(20).open.empty());
  CHECK_FALSE(at(20).noisy);

  // The first 20 are wide; from 21 on all is calm, which counts from the next look only.
  for (int i = 0; i < 20; ++i) times[static_cast<size_t>(i)] = 1000 + (i % 2 == 0 ? 30 : -30);
  CHECK_FALSE(at(20).stop);
  CHECK(at(20).next_look == 40);
  CHECK(at(39).half_width == at(20).half_width);
  CHECK_FALSE(at(39).stop);
  CHECK(at(30).open == "±3 %, stops at ±0.5 %");

  // Ranks 6 and 15 of 20: 0.1 % below the median and 5 % above, and the wider side counts.
  std::vector<double> skewed(20, 1000);
  for (size_t i = 0; i < 20; ++i) skewed[(i * 7) % 20] = i < 8 ? 999 : i < 12 ? 1000 : 1050;
  const auto one_sided = stats::should_stop(samples_of(skewed), 1, rule);
  REQUIRE(one_sided.half_width);
  CHECK(*one_sided.half_width == Approx(0.05));
  CHECK_FALSE(one_sided.stop);
}

TEST_CASE("a series stops at its limits, and says whether it is noisy") {
  const stats::StopRule rule;
  std::vector<double> calm, wild;
  for (int i = 0; i < 1000; ++i) {
    const double z = quality::normal(4, static_cast<uint64_t>(i));
    calm.push_back(1000 + 0.1 * z);
    wild.push_back(1000 * std::exp(z));
  }
  const auto first = [](const std::vector<double>& times, int n) {
    return samples_of({times.begin(), times.begin() + n});
  };
  const stats::StopState timed_out = stats::should_stop(first(wild, 30), 10, rule);
  CHECK(timed_out.stop);
  CHECK(timed_out.noisy);
  CHECK(timed_out.open.find("stops at ±0.5 %") != std::string::npos);
  CHECK_FALSE(stats::should_stop(first(wild, 30), 9.9, rule).stop);
  const stats::StopState full = stats::should_stop(first(wild, 1000), 1, rule);
  CHECK(full.stop);
  CHECK(full.noisy);
  CHECK(stats::should_stop(first(wild, 640), 1, rule).next_look == 1000);
  // Slow but calm: 10 samples in the limit have an interval that is narrow enough.
  const stats::StopState slow = stats::should_stop(first(calm, 10), 10, rule);
  CHECK(slow.stop);
  CHECK_FALSE(slow.noisy);
  // Too few for an interval: nothing is known about the noise.
  const stats::StopState few = stats::should_stop(first(wild, 3), 12, rule);
  CHECK(few.stop);
  CHECK_FALSE(few.noisy);
  CHECK_FALSE(few.half_width);
  CHECK_FALSE(stats::should_stop({}, 0, rule).stop);
  // Live mode has no target: it runs to its limit and is not noisy for it.
  const stats::StopRule live = {11, 50, 0, 0.5};
  CHECK_FALSE(stats::should_stop(first(calm, 22), 0.1, live).stop);
  CHECK(stats::should_stop(first(calm, 22), 0.1, live).open == "22 of 50 samples");
  CHECK(stats::should_stop(first(wild, 50), 0.1, live).stop);
  CHECK_FALSE(stats::should_stop(first(wild, 50), 0.1, live).noisy);
}

TEST_CASE("the 95 % interval holds what it says, stopping rule included") {
  for (const Noise& noise : kNoises) {
    CAPTURE(noise.name);
    CHECK(coverage(noise, 0, 0.005, 2000).share() >= 0.94);
    CHECK(coverage(noise, 0, 0.01, 2000).share() >= 0.94);
  }
}

TEST_CASE("and for samples that remember their neighbours") {
  for (const Noise& noise : kNoises) {
    for (const double rho : {0.2, 0.35, 0.5}) {
      CAPTURE(noise.name, rho);
      // A wide target stops early, at the runs that look calm: the harder case.
      CHECK(coverage(noise, rho, 0.01, 2000).share() >= 0.93);
    }
    CHECK(coverage(noise, 0.5, 0.005, 1000).share() >= 0.93);
  }
}

TEST_CASE("correlation beyond what the interval can mend is flagged") {
  for (const Noise& noise : kNoises) {
    CAPTURE(noise.name);
    CHECK(coverage(noise, 0, 0.01, 500).flagged_share() <= 0.01);
    CHECK(coverage(noise, 0.8, 0.01, 500).flagged_share() >= 0.80);
    CHECK(coverage(noise, 0.9, 0.01, 500).flagged_share() >= 0.88);
    CHECK(coverage(noise, 0.8, 0.005, 500).flagged_share() >= 0.80);
  }
  // Seen whole, instead of stopped where it looked calm.
  const auto flagged = [](double rho) {
    int count = 0;
    for (uint64_t seed = 0; seed < 100; ++seed)
      count += has_flag(stats::summarize(samples_of(autoregressive(320, rho, seed))).flags,
                        "correlated");
    return count;
  };
  CHECK(flagged(0.0) == 0);
  CHECK(flagged(0.9) == 100);
}
