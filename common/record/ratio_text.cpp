#include "common/record/ratio_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "common/core/format.h"
#include "common/record/caution.h"
#include "common/record/clocks.h"
#include "common/record/derive.h"
#include "common/record/processor_share.h"
#include "common/record/request.h"

namespace ridge {
namespace {

constexpr int kFewest = 3, kMost = 6;  // significant digits
/// Of an end below 1 beside a larger one, and of a ratio between the two.
constexpr int kFewestBelow_1 = 2;
constexpr int kOfLimits = 4;  // decimals, as crossing_text() prints the limits of "same"
constexpr double kMargins[] = {default_margin(false), default_margin(true)};

int side_of_limit(double value, double limit) {
  return (value > limit) - (value < limit);
}

/// What a reader of `digits` significant digits takes the value for.
double as_printed(double value, int digits) {
  return std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
}

/// 2 of 345.
int exponent_of(double value) {
  return value > 0 ? static_cast<int>(std::floor(std::log10(value))) : 0;
}

/// What a reader of so many decimals takes it for; of fewer than none 12 345 is 12 300.
double rounded_to(double value, int decimals) {
  const double unit = std::pow(10, -decimals);
  return decimals > 0 ? std::strtod(fmt::format("{:.{}f}", value, decimals).c_str(), nullptr)
                      : std::round(value / unit) * unit;
}

std::string with_decimals(double value, int decimals, int fewest) {
  const double shown = rounded_to(value, decimals);
  const int digits = exponent_of(shown > 0 ? shown : value) + 1 + decimals;
  if (digits < fewest) return format_number(value, fewest);
  return shown < 1000 && shown >= 0.001 ? fmt::format("{:.{}f}", value, std::max(decimals, 0))
                                        : format_number(shown, digits);
}

/// Below, on or above each limit as printed too: 0.9801 as 0.980 reads as the limit 0.9804, which has these digits as well.
bool stands_where_it_is(double value, double margin, int decimals) {
  const double printed = rounded_to(value, decimals);
  for (const double limit : {1 / (1 + margin), 1.0, 1 + margin}) {
    const int side = side_of_limit(value, limit);
    if (side_of_limit(printed, limit) != side) return false;
    if (side != 0 && decimals < kOfLimits && printed == rounded_to(limit, decimals)) return false;
  }
  return true;
}

bool has_ends(const std::optional<Interval>& ratio) {
  return ratio && std::isfinite(ratio->low) && std::isfinite(ratio->high);
}

/// Of both ends, and of the ratio beside them.
int decimals_of(const Interval& ratio, double margin) {
  const int least = kFewest - 1 - exponent_of(ratio.high);
  const int most = least + kMost - kFewest + (ratio.low < 1 && ratio.high >= 1 ? 1 : 0);
  const auto stand = [&](double limit, int decimals) {
    return stands_where_it_is(ratio.low, limit, decimals) &&
           stands_where_it_is(ratio.high, limit, decimals);
  };
  const auto differ = [&](int decimals) {
    return ratio.low == ratio.high ||
           rounded_to(ratio.low, decimals) != rounded_to(ratio.high, decimals);
  };
  // One decimal more for the usual margins, so that a ratio which knows no margin has those of its interval.
  const bool is_near_usual = std::any_of(std::begin(kMargins), std::end(kMargins),
                                         [&](double usual) { return !stand(usual, least); });
  int decimals = least + (is_near_usual ? 1 : 0);
  while (decimals < most && !(differ(decimals) && stand(margin, decimals))) ++decimals;
  return decimals;
}

}  // namespace

std::string ratio_interval_text(const std::optional<Interval>& ratio, double margin) {
  if (!has_ends(ratio)) return kNone;
  const int decimals = decimals_of(*ratio, margin);
  const auto text = [&](double end) {
    return with_decimals(end, decimals, end >= 1 ? kFewest : kFewestBelow_1);
  };
  return fmt::format("[{}, {}]", text(ratio->low), text(ratio->high));
}

std::string crossing_text(const Interval& ratio, double margin) {
  return fmt::format("the interval {} crosses a limit of \"same\", {:.4f} to {:.4f}",
                     ratio_interval_text(ratio, margin), 1 / (1 + margin), 1 + margin);
}

bool is_of_crossing(const std::string& reason) {
  return reason.starts_with("the interval ");
}

namespace {

/// 66.3 is stored as a little less or more.
constexpr double kOfStoring = 1e-12;

/// What the last of so many digits is worth.
double last_digit(double value, int digits) {
  if (digits == 0) digits = value >= 1 && value < 1.1 ? kFewest + 1 : kFewest;
  return std::pow(10, std::floor(std::log10(value)) + 1 - digits);
}

}  // namespace

std::string ratio_text(double ratio, const std::optional<Interval>& interval) {
  if (!(ratio > 0) || !has_ends(interval) || !(interval->high > interval->low))
    return format_ratio(ratio);
  // One digit more than usual at most: an end of 0.999999 is no reason for a ratio of six.
  const bool is_near_one = ratio >= 1 && ratio < 1.1;  // as format_ratio() has it
  const int usual = (is_near_one ? kFewest + 1 : kFewest) - 1 - exponent_of(ratio);
  int decimals = std::min(decimals_of(*interval, 0), usual + 1);
  const double low = rounded_to(interval->low, decimals),
               high = rounded_to(interval->high, decimals);
  const int most = kMost - 1 - exponent_of(ratio);
  while (decimals < most &&
         (rounded_to(ratio, decimals) < low || rounded_to(ratio, decimals) > high))
    ++decimals;
  return with_decimals(ratio, decimals, kFewestBelow_1) + "×";
}

std::optional<Interval> inverse(const std::optional<Interval>& ratio) {
  if (!has_ends(ratio) || !(ratio->low > 0)) return std::nullopt;
  return Interval{1 / ratio->high, 1 / ratio->low};
}

double rounded_down(double value, int digits) {
  if (!(value > 0) || !std::isfinite(value)) return value;
  const double unit = last_digit(value, digits);
  return std::floor(value / unit * (1 + kOfStoring)) * unit;
}

double rounded_up(double value, int digits) {
  if (!(value > 0) || !std::isfinite(value)) return value;
  const double unit = last_digit(value, digits);
  return std::ceil(value / unit * (1 - kOfStoring)) * unit;
}

bool is_wide(const std::optional<Interval>& interval) {
  constexpr double kWide = 1.5;
  return has_ends(interval) && interval->low > 0 && interval->high / interval->low > kWide;
}

std::string supported_ratio_text(double ratio, const std::optional<Interval>& interval) {
  if (!(ratio > 0) || !is_wide(interval)) return ratio_text(ratio, interval);
  return "between " + format_tick(rounded_down(interval->low, 2), 2) + "× and " +
         format_tick(rounded_up(interval->high, 2), 2) + "×";
}

namespace {

/// From the lower to the upper end of what two intervals, of too few samples their extremes, allow of the ratio.
std::optional<Interval> range_between(const Stats& from, const Stats& to) {
  const auto before = reach_of(from), after = reach_of(to);
  if (!before || !after || !(before->low > 0) || !(after->low > 0)) return std::nullopt;
  return Interval{before->low / after->high, before->high / after->low};
}

/// Of times that a busy machine or their scatter makes rough: what their intervals leave of the ratio, on the scale of
/// `alone`. None where one of them is a single call.
std::optional<Interval> rough_range(double alone, const Stats& from, const Stats& to) {
  const auto range = range_between(from, to);
  if (!range || !(to.median_ns > 0) || !(alone > 0)) return std::nullopt;
  const double scale = alone / (from.median_ns / to.median_ns);
  return Interval{range->low * scale, range->high * scale};
}

/// Of two that were timed alone: a range wherever one of them is rough, so that a climb's headline is of one kind from rung
/// to rung.
GainText gain_alone(double alone, const Series& from, const Series& to) {
  const auto range_text = [&](const Interval& range, std::string rests_on) {
    const std::string text = between(range);
    return GainText{text, std::move(rests_on), true, middle_text(alone, range, text)};
  };
  if (const auto uneven = uneven_shares(from, to))
    return range_text(with_medians(uneven->range(alone), *from.stats, *to.stats),
                      "each timed alone, by processor and by wall time");
  const bool rough = is_rough_ratio(*from.stats, *to.stats);
  const std::string disturbed = disturbance_words(*from.stats, *to.stats);
  if (const auto range = rough ? rough_range(alone, *from.stats, *to.stats) : std::nullopt)
    return range_text(*range, "each timed alone, by what their times differ" +
                                  (disturbed.empty() ? "" : "; rough: " + disturbed));
  return {alone_ratio_text(alone, *to.stats, *from.stats), "each timed alone", rough};
}

}  // namespace

GainText gain_text(const Comparison* pair, double alone, const Series& from, const Series& to) {
  if (!pair) return gain_alone(alone, from, to);
  const bool is_uneven = !uneven_reason(*pair).empty();
  const char* of = is_uneven ? "by processor and by wall time " : "95 % interval ";
  const std::string ratio = headline_ratio_text(*pair);
  GainText text{ratio,
                "in turns, " + (pair->ci ? of + ratio_interval_text(pair->ci, pair->margin)
                                         : std::string("no interval")),
                is_uneven};
  if (!pair->ci) return text;
  text.rests_on += bars_words(pair->ratio, *pair->ci, alone, lacks_sustained(*pair));
  text.middle = middle_text(pair->ratio, *pair->ci, ratio);
  return text;
}

std::string middle_text(double ratio, const Interval& range, const std::string& text) {
  constexpr int kDigits = 2, kMostDigits = 4;
  if (!text.starts_with("between ") || !(range.low >= 1)) return "";
  int digits = kDigits;  // more where it would stand outside the range beside it
  const auto is_inside = [&] {
    const double printed = as_printed(ratio, digits);
    return printed >= range.low && printed <= range.high;
  };
  while (digits < kMostDigits && ratio >= range.low && ratio <= range.high && !is_inside())
    ++digits;
  return "about " + format_number(as_printed(ratio, digits), digits) + "×";
}

std::string bars_words(double said, const Interval& interval, double alone, bool at_equal_clock) {
  constexpr double kSeen = 1.02;    // in the figures, or in the lengths of bars
  constexpr double kAnother = 1.1;  // of two ratios with two digits
  const bool is_within = alone * kSeen >= interval.low && alone <= interval.high * kSeen;
  const bool is_near = alone < said * kAnother && said < alone * kAnother;
  if (!(alone > 0) || (is_within && (is_near || !is_wide(interval)))) return "";
  return "; the bars say " + alone_ratio_text(alone) +
         (at_equal_clock ? ": alone each rung has its own clock" : ": each rung was timed alone");
}

std::string gain_headline(const GainText& gain) {
  return gain.middle.empty() ? gain.ratio : gain.middle;
}

std::string gain_small_print(const GainText& gain) {
  return gain.middle.empty() ? gain.rests_on : gain.ratio + ", " + gain.rests_on;
}

bool was_disturbed(const Stats& stats) {
  const std::string caution = caution_of(stats);
  return caution == "busy" || caution == "noisy";
}

bool is_rough(const Stats& stats) {
  return !is_steady(stats) || was_disturbed(stats);
}

bool is_rough_ratio(const Stats& a, const Stats& b) {
  return is_rough(a) || is_rough(b);
}

std::string disturbance_words(const Stats& a, const Stats& b) {
  const auto has = [&](const char* flag) {
    return std::any_of(a.flags.begin(), a.flags.end(),
                       [&](const auto& one) { return one == flag; }) ||
           std::any_of(b.flags.begin(), b.flags.end(),
                       [&](const auto& one) { return one == flag; });
  };
  if (has("contended")) return "other programs took processor time meanwhile";
  return was_disturbed(a) || was_disturbed(b) ? "the times scatter" : "";
}

std::string alone_ratio_text(double ratio) {
  if (!(ratio > 0) || !std::isfinite(ratio)) return format_ratio(ratio);
  constexpr int kAlone = 2;  // what the machine did between the two is in the ratio: no third digit
  return "≈ " + format_number(as_printed(ratio, kAlone), kAlone) + "×";
}

std::string alone_ratio_text(double ratio, const Stats& a, const Stats& b) {
  const bool has_one = ratio > 0 && std::isfinite(ratio);
  if (has_one && is_rough_ratio(a, b)) return "about " + rough_number(ratio) + "×";
  return alone_ratio_text(ratio);
}

std::optional<Interval> alone_range(const Stats& from, const Stats& to) {
  if (is_steady(from) && is_steady(to)) return std::nullopt;
  return range_between(from, to);
}

std::string alone_range_text(const Interval& range) {
  const std::string low = format_tick(range.low, 2), high = format_tick(range.high, 2);
  return low == high ? "" : low + "–" + high + "×";
}

std::string rough_number(double ratio) {
  constexpr double kFew = 2;  // below it one digit would not tell a gain from none
  const double lead = ratio / std::pow(10, std::floor(std::log10(ratio)));
  const int digits = ratio < kFew || lead < 2 ? 2 : 1;  // 1.4 as one digit would be off by a third
  return format_number(as_printed(ratio, digits), digits);
}

std::string rough_words(const Stats& stats) {
  if (is_steady(stats)) return "";
  if (stats.n < 2) return "timed once";
  const Interval whole = stats.ci_ns.value_or(Interval{stats.min_ns, stats.max_ns});
  return whole.low > 0 ? "its times differ by up to " + rough_number(whole.high / whole.low) + "×"
                       : "its times scatter";
}

Error rounds_of_trainings() {
  return {ErrorCode::usage, "of trainings a pair is a seed, and no round", "rounds",
          "name the seeds instead: --set seed=1..16"};
}

namespace {

/// An estimate from one ratio has no more digits.
int with_two_digits(int count) {
  int unit = 1;
  while (count / unit >= 100) unit *= 10;
  return (count + unit - 1) / unit * unit;
}

/// Which side is the faster one is not known; so it is without an interval.
bool holds_one(const std::optional<Interval>& ratio) {
  return !ratio || (ratio->low <= 1 && ratio->high >= 1);
}

}  // namespace

std::string unresolved_words(const std::optional<Interval>& ratio, double margin) {
  return holds_one(ratio)
             ? "no difference shown"
             : fmt::format("there is a difference, perhaps smaller than the margin of {:g} %",
                           margin * 100);
}

bool lies_at_margin(const Comparison& comparison) {
  constexpr double kNarrow = 0.25;
  return comparison.verdict == Verdict::unresolved && comparison.ci && comparison.ratio > 0 &&
         comparison.ci->high - comparison.ci->low < kNarrow * comparison.margin;
}

bool is_out_of_reach(const Comparison& comparison) {
  return comparison.verdict == Verdict::unresolved && comparison.ci && comparison.rounds > 0 &&
         comparison.rounds_needed > double{kMostTimesAsMany} * comparison.rounds;
}

std::optional<MoreRounds> more_rounds(const Comparison& comparison) {
  const bool is_of_rounds = !comparison.trained && comparison.sustained.empty();
  if (comparison.verdict != Verdict::unresolved || !is_of_rounds || comparison.rounds_needed <= 0 ||
      lies_at_margin(comparison) || is_out_of_reach(comparison))
    return std::nullopt;
  MoreRounds more{.rounds = with_two_digits(comparison.rounds_needed)};
  if (comparison.rounds > 0) more.seconds = comparison.rounds_s / comparison.rounds * more.rounds;
  if (holds_one(comparison.ci)) return more;
  const double limit = 1 + comparison.margin;
  more.shows = comparison.ratio > limit       ? Verdict::faster
               : comparison.ratio < 1 / limit ? Verdict::slower
                                              : Verdict::same;
  return more;
}

std::string more_rounds_text(const MoreRounds& more) {
  std::string text = fmt::format("about {} round{}", more.rounds, more.rounds == 1 ? "" : "s");
  if (more.seconds > 0) text += " (about " + format_time_ns(more.seconds * 1e9) + ")";
  return text;
}

}  // namespace ridge
