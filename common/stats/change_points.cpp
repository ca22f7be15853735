#include "common/stats/change_points.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "common/stats/stats.h"

namespace ridge::stats {
namespace {

/// Of one value, in standard deviations of the noise (Huber, Annals of Mathematical Statistics 35, 1964).
constexpr double kMostInfluence = 2.5;
/// Below it a difference is no finding: what a clock resolves, and how figures are rounded.
constexpr double kLeastNoise = 0.0005;
/// Values whose pairs are looked at, for a scale or a shift: more would take seconds and change no digit.
constexpr size_t kMostInPairs = 600;

/// Every k-th, so that at most kMostInPairs are left.
std::vector<double> thinned(const std::vector<double>& values) {
  const size_t step = values.size() / kMostInPairs + 1;
  std::vector<double> some;
  for (size_t i = 0; i < values.size(); i += step) some.push_back(values[i]);
  return some;
}

/// Rousseeuw and Croux's Qn, a standard deviation for normal values.
double scale_of(const std::vector<double>& all) {
  const std::vector<double> values = thinned(all);
  const size_t n = values.size();
  if (n < 2) return 0;
  std::vector<double> gaps;
  for (size_t i = 0; i < n; ++i)
    for (size_t k = i + 1; k < n; ++k) gaps.push_back(std::abs(values[i] - values[k]));
  const size_t half = n / 2 + 1;
  const auto at = gaps.begin() + static_cast<std::ptrdiff_t>(half * (half - 1) / 2 - 1);
  std::nth_element(gaps.begin(), at, gaps.end());
  const auto count = static_cast<double>(n);
  return 2.2219 * *at * count / (count + (n % 2 == 1 ? 1.4 : 3.8));
}

struct Noise {
  double deviation = 0;           ///< of one value
  double correlation_values = 1;  ///< integrated correlation time
};

/// Differences over `lag` values that cross none of the changes.
std::vector<double> differences(std::span<const double> logs, size_t lag,
                                const std::vector<size_t>& changes) {
  std::vector<double> made;
  auto next = changes.begin();
  for (size_t i = 0; i + lag < logs.size(); ++i) {
    while (next != changes.end() && *next <= i) ++next;
    if (next == changes.end() || *next > i + lag) made.push_back(logs[i + lag] - logs[i]);
  }
  return made;
}

/// The values from the median of their stretch, no further than kMostInfluence of the noise: so many of an outlier count.
std::vector<double> clipped(std::span<const double> logs, double deviation) {
  const double middle = median(logs), most = kMostInfluence * deviation;
  std::vector<double> made;
  for (const double value : logs) made.push_back(std::clamp(value - middle, -most, most));
  return made;
}

/// Of AR(1) noise with correlation r, Var(y[i+1] - y[i]) = 2 s^2 (1 - r) and Var(y[i+2] - y[i]) = 2 s^2 (1 - r^2): their
/// quotient is 1 + r. No level is needed for it, so a change that is not found yet is no correlation.
double correlation_of_differences(double one, double two) {
  return one > 0 ? two * two / (one * one) - 1 : 0;
}

/// Of the values about the median of their level, each no further than kMostInfluence of the noise. A level that is taken
/// from n values takes (1 + 3 r) / n of the correlation with it (Kendall, Biometrika 41, 1954).
double correlation_of_levels(std::span<const double> logs, const std::vector<size_t>& changes,
                             double deviation) {
  double products = 0, squares = 0;
  for (size_t i = 0; i <= changes.size(); ++i) {
    const size_t begin = i == 0 ? 0 : changes[i - 1];
    const size_t end = i == changes.size() ? logs.size() : changes[i];
    const std::vector<double> values = clipped(logs.subspan(begin, end - begin), deviation);
    for (size_t k = 0; k < values.size(); ++k) {
      squares += values[k] * values[k];
      if (k > 0) products += values[k] * values[k - 1];
    }
  }
  const double r = squares > 0 ? products / squares : 0;
  return r +
         (1 + 3 * r) * static_cast<double>(changes.size() + 1) / static_cast<double>(logs.size());
}

/// The larger of two estimates of the correlation: either alone is too small in too many histories.
Noise noise_of(std::span<const double> logs, const std::vector<size_t>& changes) {
  constexpr double kMostCorrelation = 0.9;
  const double one = scale_of(differences(logs, 1, changes));
  const double two = scale_of(differences(logs, 2, changes));
  const double by_differences =
      std::clamp(correlation_of_differences(one, two), 0.0, kMostCorrelation);
  const double deviation = std::max(one / std::sqrt(2 * (1 - by_differences)), kLeastNoise);
  const double r =
      std::clamp(correlation_of_levels(logs, changes, deviation), by_differences, kMostCorrelation);
  return {std::max(one / std::sqrt(2 * (1 - r)), kLeastNoise), (1 + r) / (1 - r)};
}

/// The same noise, were its values independent: what their neighbours' differences say alone.
Noise as_independent(const Noise& noise) {
  const double r = (noise.correlation_values - 1) / (noise.correlation_values + 1);
  return {std::max(noise.deviation * std::sqrt(1 - r), kLeastNoise), 1};
}

/// A split of the values from `begin` to `end`.
struct Split {
  size_t begin = 0, end = 0;
  size_t first = 0;  ///< of the new level
  double score = 0;
};

double score_of(double step, size_t left, size_t right, const Noise& noise) {
  const double shares = 1 / static_cast<double>(left) + 1 / static_cast<double>(right);
  return std::abs(step) / (noise.deviation * std::sqrt(noise.correlation_values * shares));
}

/// The split with the highest score; score 0: there are too few values for two levels.
Split best_split(std::span<const double> logs, size_t begin, size_t end, const Noise& noise) {
  Split best = {begin, end, begin, 0};
  const std::vector<double> values = clipped(logs.subspan(begin, end - begin), noise.deviation);
  const double all = std::accumulate(values.begin(), values.end(), 0.0);
  double sum = 0;
  for (size_t left = 1; left + kFewestOfLevel <= values.size(); ++left) {
    sum += values[left - 1];
    if (left < kFewestOfLevel) continue;
    const size_t right = values.size() - left;
    const double step = (all - sum) / static_cast<double>(right) - sum / static_cast<double>(left);
    const double score = score_of(step, left, right, noise);
    if (score <= best.score) continue;
    best.score = score;
    best.first = begin + left;
  }
  return best;
}

/// Seeded intervals: each length is 1 / sqrt 2 of the one before, and one begins a sixth of a length after another, so that
/// one of them has each change near its middle.
std::vector<std::pair<size_t, size_t>> intervals_of(size_t n) {
  std::vector<std::pair<size_t, size_t>> made;
  for (double times = 1;; times *= std::numbers::sqrt2) {
    const auto length = static_cast<size_t>(std::ceil(static_cast<double>(n) / times));
    if (length < 2 * kFewestOfLevel) return made;
    const size_t step = std::max<size_t>(length / 6, 1);
    for (size_t begin = 0; begin + length < n; begin += step) made.emplace_back(begin, length);
    made.emplace_back(n - length, length);
  }
}

/// The narrowest interval with a change in it tells its place best, because it holds no other. Of the values from `from` to
/// `to`; the limit is that of all.
std::vector<size_t> narrowest_first(std::span<const double> logs, size_t from, size_t to,
                                    const Noise& noise) {
  std::vector<Split> found;
  for (const auto& [begin, length] : intervals_of(to - from)) {
    const Split split = best_split(logs, from + begin, from + begin + length, noise);
    if (split.score > limit_of(logs.size())) found.push_back(split);
  }
  std::stable_sort(found.begin(), found.end(), [](const Split& a, const Split& b) {
    const size_t a_length = a.end - a.begin, b_length = b.end - b.begin;
    return a_length != b_length ? a_length < b_length : a.score > b.score;
  });
  std::vector<size_t> changes;
  for (const Split& split : found) {
    const bool is_told = std::any_of(changes.begin(), changes.end(), [&](size_t first) {
      return split.begin < first && first < split.end;
    });
    if (!is_told) changes.push_back(split.first);
  }
  std::sort(changes.begin(), changes.end());
  return changes;
}

size_t begin_of(const std::vector<size_t>& changes, size_t i) {
  return i == 0 ? 0 : changes[i - 1];
}

size_t end_of(const std::vector<size_t>& changes, size_t i, size_t count) {
  return i + 1 == changes.size() ? count : changes[i + 1];
}

void add_between(std::span<const double> logs, const Noise& noise, std::vector<size_t>* changes) {
  std::vector<size_t> all = *changes;
  for (size_t i = 0; i <= changes->size(); ++i) {
    const size_t end = i == changes->size() ? logs.size() : (*changes)[i];
    const std::vector<size_t> more = narrowest_first(logs, begin_of(*changes, i), end, noise);
    all.insert(all.end(), more.begin(), more.end());
  }
  std::sort(all.begin(), all.end());
  *changes = std::move(all);
}

/// How badly one level fits the values: their squares from its median over those of the noise, each cut off where an
/// outlier begins, so that it pulls to neither side (Fearnhead and Rigaill, JASA 114, 2019).
double misfit(std::span<const double> values, const Noise& noise) {
  const double middle = median(values);
  double sum = 0;
  for (const double value : values)
    sum +=
        std::min(std::pow((value - middle) / noise.deviation, 2), kMostInfluence * kMostInfluence);
  return sum / noise.correlation_values;
}

/// Where the new level may begin: the best place, and the earliest and the latest that fit nearly as well.
struct Places {
  size_t best = 0, earliest = 0, latest = 0;
};

/// `otherwise` where [begin, end) has no room for two levels.
Places places_of(std::span<const double> logs, size_t begin, size_t end, size_t otherwise,
                 const Noise& noise) {
  /// Of twice a log likelihood: 95 % of the sets of places that fit so well hold the true one (Eo and Morley,
  /// Quantitative Economics 6, 2015).
  constexpr double kNearlyAsWell = 7.35;
  Places places = {otherwise, otherwise, otherwise};
  std::vector<double> fits;
  double least = INFINITY;
  for (size_t at = begin + kFewestOfLevel; at + kFewestOfLevel <= end; ++at) {
    fits.push_back(misfit(logs.subspan(begin, at - begin), noise) +
                   misfit(logs.subspan(at, end - at), noise));
    if (fits.back() < least) least = fits.back(), places.best = at;
  }
  places.earliest = places.latest = places.best;
  for (size_t i = 0; i < fits.size(); ++i) {
    if (fits[i] > least + kNearlyAsWell) continue;
    places.earliest = std::min(places.earliest, begin + kFewestOfLevel + i);
    places.latest = std::max(places.latest, begin + kFewestOfLevel + i);
  }
  return places;
}

double score_between(std::span<const double> logs, size_t begin, size_t first, size_t end,
                     const Noise& noise) {
  const std::vector<double> values = clipped(logs.subspan(begin, end - begin), noise.deviation);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(first - begin);
  const double before =
      std::accumulate(values.begin(), at, 0.0) / static_cast<double>(first - begin);
  const double after = std::accumulate(at, values.end(), 0.0) / static_cast<double>(end - first);
  return score_of(after - before, first - begin, end - first, noise);
}

/// Each change in its best place between its neighbours; those that do not pass the limit there are left out, the weakest
/// first.
void settle(std::span<const double> logs, const Noise& noise, std::vector<size_t>* changes) {
  while (!changes->empty()) {
    double least = INFINITY;
    size_t weakest = 0;
    for (size_t i = 0; i < changes->size(); ++i) {
      const size_t begin = begin_of(*changes, i), end = end_of(*changes, i, logs.size());
      size_t& first = (*changes)[i];
      first = places_of(logs, begin, end, first, noise).best;
      const double score = score_between(logs, begin, first, end, noise);
      if (score < least) least = score, weakest = i;
    }
    if (least > limit_of(logs.size())) return;
    changes->erase(changes->begin() + static_cast<std::ptrdiff_t>(weakest));
  }
}

/// Hodges and Lehmann's shift from `left` to `right`, and its interval by the ranks of the Mann-Whitney test.
void add_ratio(std::span<const double> left, std::span<const double> right, double correlation,
               Change* change) {
  const std::vector<double> before = thinned({left.begin(), left.end()});
  const std::vector<double> after = thinned({right.begin(), right.end()});
  std::vector<double> shifts;
  for (const double a : before)
    for (const double b : after) shifts.push_back(b - a);
  std::sort(shifts.begin(), shifts.end());
  change->ratio = std::exp(median(shifts));
  const auto m = static_cast<double>(before.size()), n = static_cast<double>(after.size());
  const double rank = m * n / 2 - 1.96 * std::sqrt(m * n * (m + n + 1) / 12 * correlation);
  if (rank < 1) return;
  const auto at = static_cast<size_t>(rank) - 1;
  change->ci = Interval{std::exp(shifts[at]), std::exp(shifts[shifts.size() - 1 - at])};
}

}  // namespace

/// Fitted to simulations of histories without a change (tests/bench/statistics.cpp): few values know their noise badly.
double limit_of(size_t count) {
  const auto n = static_cast<double>(count);
  return std::sqrt(2 * std::log(n)) + 1.2 + 26 / n;
}

double highest_score(std::span<const double> values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  const Noise noise = noise_of(logs, {});
  double highest = 0;
  for (const auto& [begin, length] : intervals_of(logs.size()))
    highest = std::max(highest, best_split(logs, begin, begin + length, noise).score);
  return highest;
}

ChangePoints find_changes(std::span<const double> values) {
  ChangePoints found;
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  if (logs.size() < 2 * kFewestOfLevel) {
    found.too_few = "A change needs " + std::to_string(kFewestOfLevel) +
                    " results before it and as many after it, and there are " +
                    std::to_string(logs.size()) + ".";
    return found;
  }
  // Every change of level looks like correlation, and correlation like changes. So the first look takes the values for
  // independent, and finds too many rather than too few; with these left out of the noise, those stay that it allows.
  std::vector<size_t> changes;
  constexpr int kMostLooks = 5;
  for (int look = 0; look < kMostLooks; ++look) {
    const Noise noise = as_independent(noise_of(logs, changes));
    const size_t before = changes.size();
    add_between(logs, noise, &changes);
    settle(logs, noise, &changes);
    if (changes.size() <= before) break;
  }
  Noise noise;
  for (size_t before = changes.size() + 1; changes.size() < before;) {
    before = changes.size();
    noise = noise_of(logs, changes);
    settle(logs, noise, &changes);
  }
  found.noise = noise.deviation;
  found.correlation_values = noise.correlation_values;
  const std::span all(logs);
  for (size_t i = 0; i < changes.size(); ++i) {
    const size_t begin = begin_of(changes, i), end = end_of(changes, i, logs.size());
    Change& change = found.changes.emplace_back();
    const Places places = places_of(logs, begin, end, changes[i], noise);
    change.first = changes[i], change.earliest = places.earliest, change.latest = places.latest;
    change.score = score_between(all, begin, change.first, end, noise);
    add_ratio(all.subspan(begin, change.first - begin),
              all.subspan(change.first, end - change.first), noise.correlation_values, &change);
  }
  return found;
}

}  // namespace ridge::stats
