// A series in time: how long its samples stay correlated, and when there are enough of them.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "common/stats/stats.h"

namespace ridge::stats {
namespace {

/// Half the interval's width as a share of the median, the wider side counting.
std::optional<double> half_width(const Stats& stats) {
  if (!stats.ci_ns || !(stats.median_ns > 0)) return std::nullopt;
  return std::max(stats.ci_ns->high - stats.median_ns, stats.median_ns - stats.ci_ns->low) /
         stats.median_ns;
}

/// "0.52 %", "14 %"
std::string percent(double share) {
  const double value = 100 * share;
  return value < 10 ? fmt::format("{:.2g} %", value) : fmt::format("{:.0f} %", value);
}

}  // namespace

double correlation_time(std::span<const double> values) {
  constexpr size_t kMaxLag = 256;
  // Equal values have no correlation, but rounding in their mean would find some.
  if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end())
    return 1;
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  std::vector<double> centred;
  centred.reserve(values.size());
  for (const double value : values) centred.push_back(value - mean);
  const auto covariance = [&](size_t lag) {
    double sum = 0;
    for (size_t i = 0; i + lag < centred.size(); ++i) sum += centred[i] * centred[i + lag];
    return sum;
  };
  const double variance = covariance(0);
  // In a reversible chain the sum of two neighbouring lags is positive: the first sum that is not
  // is noise, and so is everything after it.
  double time = -1;
  for (size_t lag = 0; lag < std::min(values.size(), kMaxLag); lag += 2) {
    const double pair = (covariance(lag) + covariance(lag + 1)) / variance;
    if (!(pair > 0)) break;
    time += 2 * pair;
  }
  return std::max(time, 1.0);
}

StopState should_stop(std::span<const Sample> samples, double elapsed_s, const StopRule& rule) {
  std::vector<double> times;
  for (const Sample& sample : samples) times.push_back(sample.t_ns);
  return should_stop_times(times, elapsed_s, rule);
}

StopState should_stop_times(std::span<const double> times, double elapsed_s,
                            const StopRule& rule) {
  StopState state;
  const auto n = static_cast<int>(times.size());
  int look = 0;
  state.next_look = std::max(rule.min_samples, 1);
  while (state.next_look <= n) {
    look = state.next_look;
    state.next_look *= 2;
  }
  state.next_look = std::min(state.next_look, rule.max_samples);

  const bool at_limit = elapsed_s >= rule.limit_s || n >= rule.max_samples;
  state.half_width = half_width(summarize_times(at_limit ? times : times.first(look)));
  const bool wants_width = rule.target_half_width > 0;
  const bool met = wants_width && state.half_width && *state.half_width <= rule.target_half_width;
  state.stop = at_limit || met;
  state.noisy = at_limit && wants_width && state.half_width && !met;
  if (met || (at_limit && !state.noisy)) return state;
  if (wants_width && state.half_width)
    state.open = fmt::format("±{}, stops at ±{}", percent(*state.half_width),
                             percent(rule.target_half_width));
  else
    state.open =
        fmt::format("{} of {} samples", n, wants_width ? state.next_look : rule.max_samples);
  return state;
}

}  // namespace ridge::stats
