#include "common/stats/sum_ratio.h"

#include <cmath>

namespace ridge::stats {

SumRatio sum_ratio(std::span<const SumTerm> terms) {
  double all = 0, time = 0;
  bool has_ci = !terms.empty();
  for (const SumTerm& term : terms) {
    all += term.baseline;
    time += term.baseline / term.ratio;
    has_ci = has_ci && term.ci;
  }
  SumRatio sum;
  if (!(all > 0) || !(time > 0)) return sum;
  const double mean = time / all;  // candidate / baseline
  sum.ratio = 1 / mean;
  if (!has_ci) return sum;
  double below = 0, above = 0;
  for (const SumTerm& term : terms) {
    const double share = term.baseline / all, own = 1 / term.ratio;
    const double of_share = (own - mean) * share * term.baseline_error;
    below += std::pow(share * (own - 1 / term.ci->high), 2) + of_share * of_share;
    above += std::pow(share * (1 / term.ci->low - own), 2) + of_share * of_share;
  }
  const double low = mean - std::sqrt(below), high = mean + std::sqrt(above);
  if (low > 0) sum.ci = Interval{1 / high, 1 / low};
  return sum;
}

Verdict verdict_at(const std::optional<Interval>& ci, double margin) {
  if (!ci) return Verdict::unresolved;
  if (ci->low > 1 + margin) return Verdict::faster;
  if (ci->high < 1 / (1 + margin)) return Verdict::slower;
  const bool is_inside = ci->low >= 1 / (1 + margin) && ci->high <= 1 + margin;
  return is_inside ? Verdict::same : Verdict::unresolved;
}

}  // namespace ridge::stats
