// Paired comparison: rounds to log ratios, log ratios to a verdict.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/record/ratio_text.h"
#include "common/stats/stats.h"

namespace ridge::stats {
namespace {

/// Sum of ln t over the two slots of `side`; NaN unless there are exactly two good ones.
double log_sum(const Round& round, int side) {
  double sum = 0;
  int slots = 0;
  for (size_t i = 0; i < round.order.size(); ++i) {
    if (round.side(i) != side) continue;
    const double t = round.t_ns[i];
    if (!(t > 0 && std::isfinite(t))) return std::numeric_limits<double>::quiet_NaN();
    sum += std::log(t);
    ++slots;
  }
  return slots == 2 ? sum : std::numeric_limits<double>::quiet_NaN();
}

Verdict verdict_of(const Interval& log_ci, double log_margin) {
  if (log_ci.low > log_margin) return Verdict::faster;
  if (log_ci.high < -log_margin) return Verdict::slower;
  if (log_ci.low >= -log_margin && log_ci.high <= log_margin) return Verdict::same;
  return Verdict::unresolved;
}

/// How many times as long as the room for it the interval is on the side that has to fit: of "faster" the lower, of
/// "slower" the upper, of "same" the tighter one.
double excess_of(const Interval& log_ci, double middle, double log_margin) {
  const double below = middle - log_ci.low, above = log_ci.high - middle;
  if (middle > log_margin) return below / (middle - log_margin);
  if (middle < -log_margin) return above / (-log_margin - middle);
  return std::max(above / (log_margin - middle), below / (middle + log_margin));
}

/// Rounds of a fresh comparison that should settle it: the interval shrinks as 1/sqrt(rounds), and must come to fit between
/// the median and the boundary. The next median is another one by about half of a side: with room for that it settles five
/// times in six. 0: the median stands on the boundary.
int estimate_rounds(const Interval& log_ci, double middle, double log_margin, size_t rounds) {
  constexpr double kRoom = 1.5;
  const double excess = excess_of(log_ci, middle, log_margin);
  const double needed = static_cast<double>(rounds) * std::pow(kRoom * excess, 2);
  if (!(needed < 1e6)) return 0;
  return std::max(static_cast<int>(std::ceil(needed)), static_cast<int>(rounds) + 1);
}

}  // namespace

double round_log_ratio(const Round& round, const SidePair& pair) {
  const bool palindrome = std::equal(round.order.begin(), round.order.end(), round.order.rbegin());
  if (pair.baseline == pair.candidate || !palindrome || round.order.size() != round.t_ns.size())
    return std::numeric_limits<double>::quiet_NaN();
  return (log_sum(round, pair.baseline) - log_sum(round, pair.candidate)) / 2;
}

PairedResult judge(std::span<const Round> rounds, const SidePair& pair, double margin, int claims) {
  std::vector<double> ratios;
  for (const Round& round : rounds) {
    const double ratio = round_log_ratio(round, pair);
    if (std::isfinite(ratio)) ratios.push_back(ratio);
  }
  PairedResult result = judge_pairs(ratios, margin, claims);
  if (const size_t bad = rounds.size() - ratios.size(); bad > 0) {
    const std::string left_out = fmt::format(
        "{} of {} rounds left out: wrong order or a time that is not positive", bad, rounds.size());
    result.reasons.insert(result.reasons.begin(), left_out);
  }
  return result;
}

PairedResult judge_pairs(std::span<const double> ratios, double margin, int claims,
                         const char* what) {
  PairedResult result;
  result.ratio = 1;
  result.rounds = static_cast<int>(ratios.size());
  if (ratios.empty()) {
    result.reasons.push_back(fmt::format("none of the {} was measured", what));
    return result;
  }

  const double confidence = 1 - 0.05 / std::max(claims, 1);
  const double middle = median(ratios);
  const double log_margin = std::log1p(margin);
  result.ratio = std::exp(middle);
  const std::optional<Interval> log_ci =
      median_interval(ratios, confidence, correlation_time(signs_about(ratios, middle)));
  if (!log_ci) {
    result.rounds_needed = fewest_for_interval(confidence);
    result.reasons.push_back(fmt::format("{} {} are too few for an interval; {} are needed",
                                         ratios.size(), what, result.rounds_needed));
    return result;
  }
  result.ci = Interval{std::exp(log_ci->low), std::exp(log_ci->high)};
  result.verdict = verdict_of(*log_ci, log_margin);
  if (result.verdict == Verdict::unresolved) {
    result.rounds_needed = estimate_rounds(*log_ci, middle, log_margin, ratios.size());
    result.reasons.push_back(crossing_text(*result.ci, margin));
  }
  return result;
}

std::vector<std::vector<int>> balanced_orders(int sides) {
  // The first order zigzags, 0 1 n-1 2 n-2 ...: its steps are all different modulo n, so that shifts of it hold each
  // pair of neighbours once. Of an odd number the steps of the order and of its mirror together are.
  std::vector<std::vector<int>> orders;
  for (int shift = 0; shift < sides; ++shift) {
    std::vector<int> order;
    for (int place = 0; place < sides; ++place) {
      const int zigzag = place % 2 == 1 ? (place + 1) / 2 : sides - place / 2;
      order.push_back((zigzag + shift) % sides);
    }
    orders.push_back(order);
    if (sides % 2 == 1) orders.emplace_back(order.rbegin(), order.rend());
  }
  return orders;
}

}  // namespace ridge::stats
