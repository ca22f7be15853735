#include "common/record/processor_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/record/ratio_text.h"
#include "common/stats/stats.h"

namespace ridge {
namespace {

constexpr std::string_view kReason =
    "other programs took more of one side's time than of the other's: ";

/// What the interval still bears out.
bool stands(Verdict verdict, const Interval& ci, double margin) {
  const double above = 1 + margin, below = 1 / above;
  switch (verdict) {
    case Verdict::faster:
      return ci.low > above;
    case Verdict::slower:
      return ci.high < below;
    case Verdict::same:
      return ci.low >= below && ci.high <= above;
    default:
      return true;
  }
}

}  // namespace

std::string between(const Interval& ends) {
  return "between " + format_ratio(rounded_down(ends.low)) + " and " +
         format_ratio(rounded_up(ends.high));
}

std::optional<Interval> reach_of(const Stats& stats) {
  if (stats.ci_ns || stats.n < 2) return stats.ci_ns;
  return Interval{stats.min_ns, stats.max_ns};
}

Interval with_medians(Interval ratio, const Stats& first, const Stats& second) {
  if (const auto reach = reach_of(first); reach && first.median_ns > 0 && reach->low > 0) {
    ratio.low *= reach->low / first.median_ns;
    ratio.high *= reach->high / first.median_ns;
  }
  if (const auto reach = reach_of(second); reach && second.median_ns > 0 && reach->low > 0) {
    ratio.low *= second.median_ns / reach->high;
    ratio.high *= second.median_ns / reach->low;
  }
  return ratio;
}

std::optional<double> processor_share(const Series& series) {
  const bool is_kernel = series.kind.empty() || series.kind == RungKind::kernel;
  if (!is_kernel || series.samples.empty()) return std::nullopt;
  if (backend_of(series.kernel) == Backend::cuda) return 1;
  if (param_int(series.params, "threads", 1) != 1) return std::nullopt;
  std::vector<double> shares;
  for (const Sample& sample : series.samples) {
    if (sample.cpu_ns > 0 && sample.t_ns > 0)
      shares.push_back(std::min(1.0, sample.cpu_ns / sample.t_ns));
  }
  if (shares.empty()) return std::nullopt;
  return stats::median(shares);
}

Interval UnevenShares::range(double ratio) const {
  const double of_processor = ratio * first / second;
  return {std::min(ratio, of_processor), std::max(ratio, of_processor)};
}

std::string UnevenShares::range_text(double ratio) const {
  return between(range(ratio));
}

std::string UnevenShares::sentence(const std::string& first_name, const std::string& second_name,
                                   double ratio) const {
  return fmt::format(
      "Other programs took more of one side's time than of the other's: {} had the processor for "
      "{:.0f} % of its time, {} for {:.0f} %; the ratio is {} by processor time and {} by wall "
      "time.",
      first_name, first * 100, second_name, second * 100, format_ratio(ratio * first / second),
      format_ratio(ratio));
}

std::optional<UnevenShares> uneven_shares(const Series& first, const Series& second) {
  const auto one = processor_share(first), other = processor_share(second);
  if (!one || !other || std::max(*one, *other) <= kUnevenShares * std::min(*one, *other))
    return std::nullopt;
  return UnevenShares{*one, *other};
}

void hold_to_shares(const Series& baseline, const Series& candidate, Comparison* comparison) {
  const auto uneven = uneven_shares(baseline, candidate);
  if (!uneven || !(comparison->ratio > 0) || !uneven_reason(*comparison).empty()) return;
  std::string why = uneven->sentence("the baseline", "the candidate", comparison->ratio);
  why.front() = 'o';  // a reason stands within a sentence
  why.pop_back();
  comparison->reasons.push_back(std::move(why));
  comparison->rounds_needed = 0;
  if (!comparison->ci) return;
  const Interval range = uneven->range(comparison->ratio);
  comparison->ci->low = std::min(comparison->ci->low, range.low);
  comparison->ci->high = std::max(comparison->ci->high, range.high);
  if (!stands(comparison->verdict, *comparison->ci, comparison->margin))
    comparison->verdict = Verdict::unresolved;
}

std::string uneven_reason(const Comparison& comparison) {
  const auto found =
      std::find_if(comparison.reasons.begin(), comparison.reasons.end(),
                   [](const std::string& reason) { return reason.starts_with(kReason); });
  return found == comparison.reasons.end() ? "" : *found;
}

std::string uneven_sentence(const Comparison& comparison) {
  std::string text = uneven_reason(comparison);
  if (text.empty()) return text;
  text.front() = 'O';
  return text + ".";
}

std::string headline_ratio_text(const Comparison& comparison) {
  const bool is_range = comparison.ci && !uneven_reason(comparison).empty();
  return is_range ? between(*comparison.ci) : supported_ratio_text(comparison.ratio, comparison.ci);
}

}  // namespace ridge
