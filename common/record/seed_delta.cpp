#include "common/record/seed_delta.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge {
namespace {

/// 97.5 % quantile of Student's t for 1, 2 ... degrees of freedom; beyond 30 the normal's, widened.
double t_quantile(int freedom) {
  static constexpr double kT[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                  2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                  2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                  2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  return freedom <= 30 ? kT[freedom - 1] : 1.960 + 2.5 / freedom;
}

std::optional<double> metric_of(const Series& series, const std::string& metric) {
  const QualityCheck* check = series.quality();
  // What the gate refused for its accuracy has one.
  const bool is_over = series.status == SeriesStatus::ok || series.status == SeriesStatus::failed;
  if (!is_over || check == nullptr || !check->task.contains(metric)) return {};
  const double value = check->task.at(metric);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string signed_points(double share) {
  return fmt::format("{}{:.2f}", share < 0 ? "−" : "+", std::abs(share) * 100);
}

Params without_seed(Params params) {
  params.erase("seed");
  return params;
}

Params without_own(const Series& series) {
  Params::Map params = series.params.map();
  const std::string trick = series.kernel.substr(series.kernel.rfind('.') + 1);
  std::erase_if(params, [&](const auto& item) { return item.second == ParamValue{trick}; });
  return params;
}

SeedDelta mean_difference(std::span<const double> differences) {
  SeedDelta delta{.seeds = static_cast<int>(differences.size())};
  for (const double difference : differences) delta.mean += difference / delta.seeds;
  if (delta.seeds < 2) return delta;
  double squares = 0;
  for (const double difference : differences) squares += std::pow(difference - delta.mean, 2);
  const double half =
      t_quantile(delta.seeds - 1) * std::sqrt(squares / (delta.seeds - 1) / delta.seeds);
  delta.ci = {delta.mean - half, delta.mean + half};
  return delta;
}

std::optional<SeedDelta> seed_delta(std::span<const Series* const> all, const std::string& baseline,
                                    const std::string& candidate, const Params& params,
                                    const std::string& metric) {
  const Params wanted = without_seed(params);
  std::map<ParamValue, double> of_seed;
  std::map<ParamValue, bool> refused;
  for (const Series* series : all) {
    if (series->kernel != candidate || without_seed(series->params) != wanted) continue;
    const auto value = metric_of(*series, metric);
    const auto seed = series->params.find("seed");
    if (!value || seed == series->params.end()) continue;
    for (const Series* other : all) {
      const auto theirs = metric_of(*other, metric);
      if (other->kernel == baseline && theirs && other->params.contains("seed") &&
          agrees(without_own(*other), without_own(*series))) {
        of_seed[seed->second] = *value - *theirs;
        refused[seed->second] = !series->quality_passed();
      }
    }
  }
  if (of_seed.empty()) return {};
  std::vector<double> differences;
  for (const auto& [seed, difference] : of_seed) differences.push_back(difference);
  SeedDelta delta = mean_difference(differences);
  for (const auto& [seed, is_refused] : refused) delta.refused += is_refused;
  return delta;
}

std::optional<SeedMean> seed_mean(std::span<const Series* const> all, const std::string& kernel,
                                  const Params& params, const std::string& metric) {
  const Params wanted = without_seed(params);
  std::map<ParamValue, double> of_seed;
  for (const Series* series : all) {
    if (series->kernel != kernel || without_seed(series->params) != wanted) continue;
    const auto value = metric_of(*series, metric);
    const auto seed = series->params.find("seed");
    if (value && seed != series->params.end()) of_seed[seed->second] = *value;
  }
  if (of_seed.empty()) return {};
  SeedMean made{.seeds = static_cast<int>(of_seed.size())};
  for (const auto& [seed, value] : of_seed) made.mean += value / made.seeds;
  return made;
}

std::string seed_mean_text(int seeds) {
  return seeds > 1 ? fmt::format("mean of {} seeds", seeds) : "";
}

std::string seed_means_text(const std::set<int>& seeds) {
  if (seeds.empty() || *seeds.rbegin() < 2) return "";
  return seeds.size() == 1 ? seed_mean_text(*seeds.begin()) : "means over seeds";
}

std::optional<SeedRates> seed_rates(std::span<const Series* const> all, const std::string& kernel,
                                    const Params& params) {
  const Params wanted = without_seed(params);
  std::map<ParamValue, double> of_seed;
  for (const Series* series : all) {
    const auto seed = series->params.find("seed");
    const bool is_it = series->kernel == kernel && without_seed(series->params) == wanted;
    if (!is_it || seed == series->params.end() || !series->quality() || !series->quality_passed())
      continue;
    if (series->items_per_s > 0)
      of_seed[seed->second] = series->items_per_s;
    else if (series->stats && series->stats->median_ns > 0)
      of_seed[seed->second] = 1e9 / series->stats->median_ns;
  }
  if (of_seed.empty()) return {};
  std::vector<double> rates;
  for (const auto& [seed, rate] : of_seed) rates.push_back(rate);
  const auto [low, high] = std::minmax_element(rates.begin(), rates.end());
  return SeedRates{static_cast<int>(rates.size()),
                   stats::median(rates),
                   {*low, *high},
                   stats::median_interval(rates)};
}

std::string seed_delta_text(const SeedDelta& delta) {
  if (!delta.ci) return signed_points(delta.mean) + " points, one seed";
  return fmt::format("{} points [{}, {}], {} paired seeds", signed_points(delta.mean),
                     signed_points(delta.ci->low), signed_points(delta.ci->high), delta.seeds);
}

}  // namespace ridge
