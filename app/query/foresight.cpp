#include "app/query/foresight.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/record/one_run.h"
#include "common/record/ratio_text.h"
#include "common/stats/stats.h"
#include "common/view/report/closeness.h"
#include "common/view/report/predictions.h"

namespace ridge::app {
namespace {

/// How far off each is: |ln factor|, so that half and double count the same.
std::vector<double> distances(std::span<const double> factors) {
  std::vector<double> all;
  for (const double factor : factors) all.push_back(std::abs(std::log(factor)));
  return all;
}

Foresight::Change change_of(std::span<const double> first, std::span<const double> second) {
  const auto before = stats::median_interval(first), after = stats::median_interval(second);
  if (!before || !after) return Foresight::Change::unknown;
  if (after->high < before->low) return Foresight::Change::closer;
  return after->low > before->high ? Foresight::Change::farther : Foresight::Change::unsettled;
}

/// As Foretold::factor has it. What other programs made a range is judged by its nearer end already.
double factor_of(const report::Revealed& one) {
  if (!one.range.empty()) return *one.factor;
  const double said = one.prediction->factor;
  if (said > 0 && one.ratio)
    return report::miss_factor(said, *one.ratio, one.pair ? one.pair->ci : std::nullopt);
  return 1 / report::miss_factor(*one.predicted_ns, *one.measured_ns,
                                 one.series ? one.series->stats->ci_ns : std::nullopt);
}

}  // namespace

double made_utc_s(const Run& run) {
  for (const Series& series : run.series()) {
    if (const auto ended_s = ended_utc_s(run, series)) return *ended_s;
  }
  if (!run.environment()) return 0;
  return utc_s(run.environment()->time_utc).value_or(0);
}

std::vector<Foretold> foretold_in(const Run& run) {
  const double run_s = made_utc_s(run);
  std::vector<Foretold> all;
  for (const report::Revealed& one : report::reveal(run)) {
    Foretold made{.kernel = one.prediction->kernel,
                  .said = report::said_text(*one.prediction),
                  .after_the_fact = one.after_the_fact};
    const bool is_factor = one.factor && std::isfinite(*one.factor) && *one.factor > 0;
    if (is_factor) made.factor = factor_of(one);
    made.utc_s = (one.series ? ended_utc_s(run, *one.series) : std::nullopt).value_or(run_s);
    all.push_back(std::move(made));
  }
  return all;
}

void sort_by_time(std::vector<Foretold>* all) {
  std::stable_sort(all->begin(), all->end(),
                   [](const Foretold& a, const Foretold& b) { return a.utc_s < b.utc_s; });
}

Foresight foresight(std::span<const Foretold> all) {
  Foresight sight;
  std::vector<double> factors;
  for (const Foretold& one : all) {
    if (one.after_the_fact)
      ++sight.after_the_fact;
    else if (!one.factor)
      ++sight.open;
    else
      factors.push_back(*one.factor);
  }
  sight.judged = static_cast<int>(factors.size());
  if (factors.empty()) return sight;
  sight.slower = static_cast<int>(
      std::count_if(factors.begin(), factors.end(), [](double f) { return f > 1; }));
  sight.right = static_cast<int>(std::count(factors.begin(), factors.end(), 1.0));
  const std::vector<double> off = distances(factors);
  sight.off = std::exp(stats::median(off));
  if (sight.judged < kFewestForHalves) return sight;
  const std::span<const double> first = std::span(off).first(off.size() / 2),
                                second = std::span(off).subspan(off.size() / 2);
  sight.first_half = std::exp(stats::median(first));
  sight.second_half = std::exp(stats::median(second));
  sight.change = change_of(first, second);
  return sight;
}

std::string change_text(Foresight::Change change) {
  switch (change) {
    case Foresight::Change::closer:
      return "closer";
    case Foresight::Change::farther:
      return "farther off";
    case Foresight::Change::unsettled:
      return "not settled";
    case Foresight::Change::unknown:
      break;
  }
  return "too few to say";
}

std::string own_sentence(const Foresight& sight) {
  if (sight.judged == 0) return "";
  if (sight.judged == 1 && sight.right == 1)
    return "Your first prediction: right, inside the interval of the outcome.";
  if (sight.judged == 1) {
    return fmt::format("Your first prediction: the outcome was {} by {}.",
                       sight.slower == 1 ? "slower" : "faster",
                       format_ratio(rounded_down(sight.off)));
  }
  std::string outcomes =
      fmt::format("{} {} slower than you said, {} faster", sight.slower,
                  sight.slower == 1 ? "was" : "were", sight.judged - sight.slower - sight.right);
  if (sight.right > 0) outcomes += fmt::format(", {} right", sight.right);
  std::string text =
      fmt::format("Your {} predictions with a number: half of them within {} of the outcome; {}.",
                  sight.judged, format_ratio(sight.off), outcomes);
  if (sight.first_half)
    text += fmt::format(" Earlier half {}, later half {}: {}.", format_ratio(*sight.first_half),
                        format_ratio(*sight.second_half), change_text(sight.change));
  return text;
}

}  // namespace ridge::app
