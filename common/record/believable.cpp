#include "common/record/believable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/record/compute_unit.h"
#include "common/record/derive.h"
#include "common/record/edit.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge {
namespace {

/// Two ways to the same figure agree when they differ by no more than this: recordings are rounded.
constexpr double kAgrees = 0.02;
/// A level that reads and writes at once moves up to twice what it reads.
constexpr double kBothWays = 2;

/// Of bytes that a cache of `cache_bytes` holds a part of, the share that comes from behind it.
double share_behind(double cache_bytes, double bytes) {
  return 1 - cache_bytes / bytes;
}

/// The level that a call's bytes come from, and how many of them at least. Nothing where they fit the first level.
std::optional<BoundRate> bound_bytes(const Series& series, const Environment& machine) {
  const bool is_cpu = backend_of(series.kernel) == Backend::cpu;
  const int threads = is_cpu ? static_cast<int>(param_int(series.params, "threads", 1)) : 0;
  const double per_s = series.bytes_min / (series.stats->median_ns * 1e-9);
  if (!is_cpu && machine.gpus.empty()) return std::nullopt;
  const auto last = double(is_cpu ? machine.cpu.l3_bytes : machine.gpus.front().l2_bytes);
  // The first level of a GPU is empty when a kernel starts.
  const double first = is_cpu ? double(machine.cpu.l1d_bytes) * threads : 0;
  if (last > 0 && series.bytes_min > kOutside * last) {
    return BoundRate{
        {"dram_read", "dram_copy"}, "", threads, per_s * share_behind(last, series.bytes_min)};
  }
  if ((is_cpu && first <= 0) || series.bytes_min <= kOutside * first) return std::nullopt;
  return BoundRate{
      {"l2_read"}, "", threads, per_s * share_behind(first, series.bytes_min) / kBothWays};
}

std::string unit_of(const Series& series, const BoundRate& rate) {
  return rate.resources.front() == "flop" ? rate_unit(dtype_of(series)) : "B/s";
}

}  // namespace

double least_work_share(const std::string& accuracy) {
  return accuracy == "componentwise" ? 1 : accuracy == "row_column" ? 4.0 / 9 : 1.0 / 4;
}

std::vector<BoundRate> bound_rates(const Series& series, const std::string& accuracy,
                                   const Environment* machine) {
  if (series.kind != RungKind::kernel || series.trap || is_emulated(series) || !series.stats ||
      !(series.stats->median_ns > 0)) {
    return {};
  }
  std::vector<BoundRate> rates;
  const bool is_cpu = backend_of(series.kernel) == Backend::cpu;
  if (series.flop > 0) {
    const ComputeUnit unit = compute_unit(series);
    const int threads = is_cpu ? static_cast<int>(param_int(series.params, "threads", 1)) : 0;
    const double per_s = series.flop / (series.stats->median_ns * 1e-9);
    rates.push_back(
        {{"flop"}, unit.dtype, threads, per_s * unit.products * least_work_share(accuracy)});
  }
  if (series.bytes_min > 0 && machine != nullptr) {
    if (const auto bytes = bound_bytes(series, *machine)) rates.push_back(*bytes);
  }
  return rates;
}

const Ceiling* ceiling_of(const BoundRate& rate, const OpenEnum<Backend>& backend,
                          const std::vector<Ceiling>& ceilings) {
  const Ceiling* highest = nullptr;
  for (const Ceiling& one : ceilings) {
    const bool bounds = one.source == "measured" && one.value > 0 && std::isfinite(one.value) &&
                        one.backend == backend &&
                        (backend != Backend::cpu || one.threads == rate.threads) &&
                        (rate.dtype.empty() || one.dtype == rate.dtype) &&
                        std::find(rate.resources.begin(), rate.resources.end(), one.resource) !=
                            rate.resources.end();
    if (bounds && (highest == nullptr || one.value > highest->value)) highest = &one;
  }
  return highest;
}

std::string impossible_rate(const Series& series, const std::string& accuracy,
                            const std::vector<Ceiling>& ceilings, const Environment* machine) {
  const OpenEnum<Backend> backend = backend_of(series.kernel);
  for (const BoundRate& rate : bound_rates(series, accuracy, machine)) {
    const Ceiling* ceiling = ceiling_of(rate, backend, ceilings);
    if (ceiling == nullptr) continue;
    const bool is_settled = ceiling->doubt.empty() && is_edit(series.kernel);
    const double most = is_settled ? kMostOfCeiling : kMostOfDoubted;
    if (rate.per_s <= most * ceiling->value) continue;
    return fmt::format("impossible: {} at least were needed for {} a call, and {} gives {}{}",
                       format_quantity(rate.per_s, unit_of(series, rate)),
                       format_time_ns(series.stats->median_ns), ceiling->name,
                       ceiling_text(*ceiling, ceiling->value),
                       ceiling->doubt.empty() ? "" : ", which is in doubt, but not by so much");
  }
  return "";
}

std::string unsupported_stats(const Series& series) {
  if (!series.stats || is_emulated(series)) return "";
  const double median = series.stats->median_ns;
  if (!(median > 0) || !std::isfinite(median))
    return fmt::format("its median time of {} is no time", format_time_ns(median));
  const auto& samples = series.samples;
  if (samples.empty() || series.stats->n != static_cast<int>(samples.size())) return "";
  const double found = stats::median(samples.times_ns());
  if (std::fabs(median - found) <= kAgrees * found) return "";
  return fmt::format("its result says {} a call, and its {} samples say {}", format_time_ns(median),
                     samples.size(), format_time_ns(found));
}

std::string unsupported_ratio(const Comparison& comparison, const Rounds& rounds) {
  const PairedVerdict& judged =
      comparison.equal_clock ? *comparison.equal_clock : PairedVerdict(comparison);
  if (comparison.trained || rounds.empty() || judged.rounds != static_cast<int>(rounds.size()))
    return "";
  std::vector<double> logs;
  for (const Round& round : rounds) {
    const double log = stats::round_log_ratio(round, comparison.pair());
    if (std::isfinite(log)) logs.push_back(log);
  }
  if (logs.size() != rounds.size()) return "";
  const double found = std::exp(stats::median(logs));
  if (std::fabs(judged.ratio / found - 1) <= kAgrees) return "";
  return fmt::format("its result says a ratio of {:.4g}, and its {} rounds say {:.4g}",
                     judged.ratio, rounds.size(), found);
}

std::string why_claimed(const Series& series) {
  if (!is_edit(series.kernel)) return "";
  if (const auto why = series.unavailable.find(kClaimed); why != series.unavailable.end())
    return why->second;
  const bool is_seen = std::any_of(
      series.checks.begin(), series.checks.end(),
      [](const QualityCheck& check) { return check.passed && check.what.starts_with(kWitnessed); });
  return is_seen ? "" : "no worker saw its calls from outside";
}

std::string longer_than_wall(const Series& series, double wall_s) {
  double sum_s = 0;
  for (const auto* samples : {&series.samples, &series.latency_samples}) {
    for (const Sample& one : *samples)
      sum_s += 1e-9 * one.t_ns * double(std::max<int64_t>(1, one.calls));
  }
  if (sum_s <= wall_s) return "";
  return fmt::format("its samples add up to {}, and only {} went by", format_time_ns(1e9 * sum_s),
                     format_time_ns(1e9 * wall_s));
}

}  // namespace ridge
