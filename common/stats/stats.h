// Statistics of timed samples. No distribution is assumed: timings are skewed and have two humps, so
// intervals are exact order-statistic intervals (binomial) and comparisons use the sign test.
// Sources: Conover, Practical Nonparametric Statistics, 3.1-3.2; Hoefler and Belli, Scientific
// Benchmarking of Parallel Computing Systems (SC15).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge::stats {

/// Quantile by linear interpolation between order statistics (type 7). q in [0, 1]; values need not
/// be sorted, and are finite; NaN for no values.
double quantile(std::span<const double> values, double q);
double median(std::span<const double> values);
/// Quantiles 0.25, 0.5 and 0.75.
struct Quartiles {
  double low, median, high;
};
Quartiles quartiles(std::span<const double> values);

/// The fewest independent values that can bracket their median: 6 at 0.95, 7 at 0.975.
int fewest_for_interval(double confidence = 0.95);

/// Exact distribution-free interval of the median: the tightest symmetric pair of order statistics
/// whose coverage is at least `confidence`. None when there are too few values.
/// Values that are correlated over `correlation_samples` in a row are worth only so many times fewer
/// independent ones: the pair then stands as far apart, as a share of n, as for that number (and at
/// most as far as for the fewest).
std::optional<Interval> median_interval(std::span<const double> values, double confidence = 0.95,
                                        double correlation_samples = 1);

/// Integrated autocorrelation time in samples (1 = independent), summed over the initial positive
/// pairs of lags (Geyer, Practical Markov Chain Monte Carlo, Statistical Science 1992), at least 1.
/// Lags beyond 256 are not looked at: what is correlated over that many is not worth measuring.
double correlation_time(std::span<const double> values);
/// -1, 0, 1 for what lies below, at, above `middle`: their correlation is what the median's variance
/// depends on, and no outlier can hide it.
std::vector<double> signs_about(std::span<const double> values, double middle);

/// Everything a headline needs. The interval allows for correlation through the correlation time of
/// the samples' signs about their median, which is what the median's own variance depends on, and
/// which no outlier can hide; of few samples it is taken on the high side. Coverage of the 95 %
/// interval, simulated with the looks of should_stop() in place (tests/bench/statistics.cpp): 95-98 %
/// for independent normal, lognormal and two-humped samples, 93.5 % at least for AR(1) up to 0.5;
/// "correlated" is flagged beyond a correlation time of 3 (AR(1) of 0.6).
Stats summarize(std::span<const Sample> samples, double confidence = 0.95);
/// The same of their times, ns a call.
Stats summarize_times(std::span<const double> times_ns, double confidence = 0.95);

/// p50 from 2 samples, p90 from 29, p95 from 59, p99 from 299: the fewest with which the 95 % upper
/// bound of the percentile is an observed sample.
LatencyStats summarize_latency(std::span<const Sample> samples);
LatencyStats summarize_latency_times(std::span<const double> times_ns);

/// Gives the flag "outlier" to samples beyond 1.5 interquartile ranges, and takes it from others: it
/// may be called again as samples arrive.
void tag_outliers(std::vector<Sample>* samples);
void tag_outliers(Samples* samples);

// ---- when to stop --------------------------------------------------------------------------------

struct StopRule {
  int min_samples = 20, max_samples = 1000;
  double target_half_width = 0.005;  ///< of the median: 0.005 GPU, 0.01 CPU; 0: none, to the limit
  double limit_s = 10;
};

struct StopState {
  bool stop = false;
  bool noisy = false;  ///< stopped by the limit, interval still too wide
  std::optional<double> half_width;
  int next_look = 20;  ///< sample count of the next look
  std::string open;    ///< still unmet: "12 of 20 samples", "±0.9 %, stops at ±0.5 %"
};

/// Looks only at the first min_samples, then twice as many, four times ... of the samples (each look
/// spends error), so that asking more often changes nothing; and at all of them when the limit or
/// max_samples ends it.
StopState should_stop(std::span<const Sample> samples, double elapsed_s, const StopRule& rule);
StopState should_stop_times(std::span<const double> times_ns, double elapsed_s,
                            const StopRule& rule);

// ---- paired comparison ---------------------------------------------------------------------------

/// One round's log ratio of two of its sides: half the difference of summed logs,
/// ln t_baseline - ln t_candidate. Positive: the candidate is faster. NaN for a malformed round.
double round_log_ratio(const Round& round, const SidePair& pair);
/// Of `side` against side 0.
inline double round_log_ratio(const Round& round, int side) {
  return round_log_ratio(round, SidePair{0, side});
}

/// The interval is absent under 6 rounds (7 with two candidates).
struct PairedResult : PairedVerdict {
  std::vector<std::string> reasons;
};

/// FASTER if low > ln(1+margin); SLOWER if high < -ln(1+margin); SAME if the whole interval lies
/// inside +-ln(1+margin); else UNRESOLVED. `claims` verdicts of these rounds share the error (Bonferroni). The interval
/// allows for rounds that resemble their neighbours, since a burst of foreign load favours one side for
/// some rounds: simulated with such rounds (AR(1) of 0.2 to 0.5), a kernel differed from itself at margin
/// 0 in 5.4 to 9.8 % of comparisons without this, and in 2.8 to 3.5 % with it. Malformed rounds are left out, and `reasons` says how many.
PairedResult judge(std::span<const Round> rounds, const SidePair& pair, double margin,
                   int claims = 1);
/// Of `side` against side 0.
inline PairedResult judge(std::span<const Round> rounds, int side, double margin, int claims = 1) {
  return judge(rounds, SidePair{0, side}, margin, claims);
}
/// The same of log ratios that are there already, one a pair of sustained turns; `what` names a pair of them.
PairedResult judge_pairs(std::span<const double> log_ratios, double margin, int claims = 1,
                         const char* what = "rounds");

/// Orders of `sides` in which each side follows each other one equally often: `sides` orders, or twice as many where
/// that number is odd. Source: Williams, Experimental designs balanced for the estimation of residual effects of
/// treatments, Australian Journal of Scientific Research A 2 (1949).
std::vector<std::vector<int>> balanced_orders(int sides);

}  // namespace ridge::stats
