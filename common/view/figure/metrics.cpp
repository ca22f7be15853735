#include "common/view/figure/metrics.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "common/core/format.h"
#include "common/record/compute_unit.h"
#include "common/record/params.h"
#include "common/record/trap.h"

namespace ridge::figure {
namespace {

constexpr double kNs = 1e-9;

std::optional<Interval> seconds(const std::optional<Interval>& ns) {
  if (!ns) return std::nullopt;
  return Interval{ns->low * kNs, ns->high * kNs};
}

std::optional<Value> time_per_call(const Asked& asked) {
  if (!asked.series.stats || !(asked.series.stats->median_ns > 0)) return std::nullopt;
  return Value{asked.series.stats->median_ns * kNs, seconds(asked.series.stats->ci_ns)};
}

/// What a step takes where most samples hold extra work of a training, as counting gradients.
std::optional<Value> time_lower_quartile(const Asked& asked) {
  if (!asked.series.stats || !(asked.series.stats->q1_ns > 0)) return std::nullopt;
  return Value{.value = asked.series.stats->q1_ns * kNs,
               .how = "lower quartile of " + std::to_string(asked.series.stats->n) +
                      " samples: a quarter of them took less"};
}

std::optional<Value> time_per_item(const Asked& asked) {
  const auto item = item_time(asked.series);
  return item ? std::optional(Value{item->s, item->ci_s}) : std::nullopt;
}

std::optional<Value> latency(const Asked& asked) {
  if (!asked.series.latency || !asked.series.latency->p50_ns) return std::nullopt;
  return Value{*asked.series.latency->p50_ns * kNs, {}};
}

std::optional<Value> throughput(const Asked& asked) {
  if (!asked.derived.flop_per_s) return std::nullopt;
  return Value{*asked.derived.flop_per_s, asked.derived.flop_per_s_ci};
}

std::optional<Value> memory_bandwidth(const Asked& asked) {
  if (!asked.derived.bytes_per_s) return std::nullopt;
  return Value{*asked.derived.bytes_per_s, asked.derived.bytes_per_s_ci};
}

/// A share's interval is its rate's, in the same ceiling.
std::optional<Value> share_of(const std::optional<Utilization>& share,
                              const std::optional<double>& rate,
                              const std::optional<Interval>& ci) {
  if (!share) return std::nullopt;
  Value made{share->value, {}};
  if (rate && ci && *rate > 0)
    made.interval = Interval{ci->low * share->value / *rate, ci->high * share->value / *rate};
  return made;
}

std::optional<Value> utilization(const Asked& asked) {
  return share_of(asked.derived.compute, asked.derived.flop_per_s, asked.derived.flop_per_s_ci);
}

std::optional<Value> bandwidth_share(const Asked& asked) {
  return share_of(asked.derived.bandwidth, asked.derived.bytes_per_s, asked.derived.bytes_per_s_ci);
}

std::optional<Value> exponentials(const Asked& asked) {
  const WorkRate* rate = asked.derived.rate_of("exp");
  if (!rate) return std::nullopt;
  return Value{rate->per_s, rate->per_s_ci};
}

std::optional<Value> error_nmse(const Asked& asked) {
  const QualityCheck* check = asked.series.quality();
  if (!check || check->nan_count > 0 || !(check->nmse >= 0)) return std::nullopt;
  return Value{check->nmse, {}};
}

std::optional<Value> accuracy(const Asked& asked) {
  const QualityCheck* check = asked.series.quality();
  if (!check) return std::nullopt;
  const auto found = check->task.find("accuracy");
  if (found == check->task.end()) return std::nullopt;
  return Value{found->second, {}};
}

std::optional<Value> items_rate(const Asked& asked) {
  if (!(asked.series.items_per_s > 0)) return std::nullopt;
  return Value{asked.series.items_per_s, {}};
}

std::optional<Value> memory(const Asked& asked) {
  if (!(asked.series.memory_bytes > 0)) return std::nullopt;
  return Value{asked.series.memory_bytes, {}};
}

std::optional<Value> energy(const Asked& asked) {
  if (!asked.series.energy_j) return std::nullopt;
  Value made{*asked.series.energy_j, {}};
  if (asked.series.energy_error_j)
    made.interval = Interval{made.value - *asked.series.energy_error_j,
                             made.value + *asked.series.energy_error_j};
  return made;
}

std::optional<Value> sm_clock(const Asked& asked) {
  if (!asked.series.sm_clock_hz) return std::nullopt;
  return Value{*asked.series.sm_clock_hz, {}};
}

std::optional<Value> trap_factor(const Asked& asked) {
  if (!asked.series.trap) return std::nullopt;
  return Value{asked.series.trap->factor, asked.series.trap->ci};
}

Value reading(const TrapOutcome& trap, const TrapFigure& figure) {
  return {figure.median, figure.ci, trap.unit.empty() ? "×" : trap.unit};
}

std::optional<Value> trap_lie(const Asked& asked) {
  if (!asked.series.trap) return std::nullopt;
  return reading(*asked.series.trap, asked.series.trap->lie);
}

std::optional<Value> trap_honest(const Asked& asked) {
  if (!asked.series.trap) return std::nullopt;
  return reading(*asked.series.trap, asked.series.trap->honest);
}

/// How near a pipeline came to its bound; of two runs' figures it never is.
std::optional<Value> ratio(const Asked& asked) {
  if (!asked.series.pipeline) return std::nullopt;
  return Value{asked.series.pipeline->ratio, asked.series.pipeline->ci};
}

/// Of a pipeline, the time per item of its stage that is called so, or so and more ("copy and decode"), alone.
std::optional<Value> stage_alone(const Asked& asked) {
  if (!asked.series.pipeline) return std::nullopt;
  for (const StageTime& stage : asked.series.pipeline->stages) {
    if (stage.name.starts_with(asked.part)) return Value{stage.alone_ns * kNs};
  }
  return std::nullopt;
}

/// The other term of a pipeline's bound: the CPU time of all its stages over the cores, per item.
std::optional<Value> cpu_over_cores(const Asked& asked) {
  if (!asked.series.pipeline || asked.series.pipeline->cores < 1) return std::nullopt;
  double cpu_ns = 0;
  for (const StageTime& stage : asked.series.pipeline->stages) cpu_ns += stage.cpu_ns;
  return Value{cpu_ns * kNs / asked.series.pipeline->cores, {}};
}

std::optional<Value> cores(const Asked& asked) {
  if (!asked.series.pipeline || asked.series.pipeline->cores < 1) return std::nullopt;
  return Value{double(asked.series.pipeline->cores), {}};
}

std::optional<Value> trap_bias(const Asked& asked) {
  if (!asked.series.trap) return std::nullopt;
  return Value{.value = std::nan(""), .text = bias_text(*asked.series.trap)};
}

std::optional<Value> trap_guard(const Asked& asked) {
  if (!asked.series.trap || asked.series.trap->guard_says.empty()) return std::nullopt;
  return Value{.value = std::nan(""), .text = asked.series.trap->guard_says};
}

/// As the reports print it.
std::optional<Value> margin_text(double margin) {
  if (!(margin > 0)) return std::nullopt;
  return Value{.value = std::nan(""), .text = format_percent_width(margin)};
}

std::optional<Value> margin(const Asked& asked) {
  return asked.series.trap ? margin_text(asked.series.trap->margin) : std::nullopt;
}

std::optional<Value> pair_margin(const Comparison& comparison) {
  return margin_text(comparison.margin);
}

std::optional<Value> pair_ratio(const Comparison& comparison) {
  if (comparison.verdict == Verdict::invalid || !(comparison.ratio > 0)) return std::nullopt;
  return Value{comparison.ratio, comparison.ci};
}

/// "smsp__issue_active" is "smsp__issue_active.avg.pct_of_peak_sustained_active".
std::optional<Value> counters(const Asked& asked) {
  for (const Counter& counter : asked.series.counters) {
    if (counter.name != asked.part && !counter.name.starts_with(asked.part + ".")) continue;
    const bool is_share = counter.unit == "%";
    return Value{.value = is_share ? counter.value / 100 : counter.value,
                 .unit = counter.unit.empty() ? "count" : counter.unit,
                 .how = counter.name + ", read in a pass of its own"};
  }
  return std::nullopt;
}

/// Bytes of a call from one level, by the model of the caches.
std::optional<Value> traffic(const Asked& asked) {
  const auto found = asked.series.work.find("model_" + asked.part);
  if (found == asked.series.work.end()) return std::nullopt;
  return Value{.value = found->second,
               .how = "by a model of the caches, " + to_string(asked.series.params)};
}

std::optional<Value> parameter(const Asked& asked) {
  const auto found = asked.series.params.find(asked.part);
  if (found == asked.series.params.end()) return std::nullopt;
  if (const auto* whole = std::get_if<int64_t>(&found->second))
    return Value{.value = static_cast<double>(*whole), .unit = "count"};
  return Value{.value = std::nan(""), .text = to_string(found->second)};
}

/// What bounds the rung: the ceiling of its backend, type and threads, in the FLOP that it counts.
std::optional<Value> ceiling(const Asked& asked) {
  const std::vector<Ceiling>& all = asked.run.ceilings();
  std::optional<Ceiling> found;
  if (asked.part == "flop") {
    found = flop_ceiling(all, asked.series);
  } else if (const Ceiling* one =
                 find_ceiling(all, backend_of(asked.series.kernel), asked.part, "",
                              static_cast<int>(param_int(asked.series.params, "threads", 1)))) {
    found = *one;
  }
  if (!found) return std::nullopt;
  return Value{.value = found->value,
               .unit = found->unit == "FLOP/s" ? rate_unit(found->dtype) : found->unit,
               .how = "the ceiling " + found->name + ", " + ceiling_source(*found)};
}

std::optional<Value> machine(const Asked& asked) {
  const auto& environment = asked.run.environment();
  if (!environment) return std::nullopt;
  const CpuInfo& cpu = environment->cpu;
  const auto& gpus = environment->gpus;
  const struct {
    std::string_view part;
    double value;
    const char* unit;
  } parts[] = {{"cores", double(cpu.cores), "count"},
               {"l1d", double(cpu.l1d_bytes), "B"},
               {"l2", double(cpu.l2_bytes), "B"},
               {"l3", double(cpu.l3_bytes), "B"},
               {"gpu_l2", gpus.empty() ? 0 : double(gpus.front().l2_bytes), "B"}};
  for (const auto& [part, value, unit] : parts) {
    if (part == asked.part && value > 0)
      return Value{.value = value, .unit = unit, .how = "as its system reports it"};
  }
  return std::nullopt;
}

/// It has no series: find_metric()'s `of_counts` answers.
std::optional<Value> no_result(const Asked&) {
  return std::nullopt;
}

std::optional<Value> counted(const KernelCounts& counts, const std::string& part) {
  const auto kind = value_named<CountKind>(part);
  if (!kind) return std::nullopt;
  return Value{.value = static_cast<double>(count_of(counts, *kind)),
               .how = "counted on a CPU, not timed, " + to_string(counts.params)};
}

/// It has no series of its own: find_metric()'s `of_seeds` answers.
std::optional<Value> accuracy_delta(const SeedDelta& delta) {
  return Value{.value = delta.mean,
               .interval = delta.ci,
               .how = std::to_string(delta.seeds) + " pairs of trainings, each of one seed"};
}

constexpr Metric kMetrics[] = {
    {"time_per_call", "s", time_per_call},
    {"time_lower_quartile", "s", time_lower_quartile},
    {"time_per_item", "s", time_per_item},
    {"latency", "s", latency},
    {"throughput", "FLOP/s", throughput},
    {"memory_bandwidth", "B/s", memory_bandwidth},
    {"utilization", "%", utilization},
    {"bandwidth_share", "%", bandwidth_share},
    {"exponentials", "exp/s", exponentials},
    {"error_nmse", "", error_nmse},
    {"accuracy", "%", accuracy},
    {"items_rate", "items/s", items_rate},
    {"memory", "B", memory},
    {"energy", "J", energy},
    {"sm_clock", "Hz", sm_clock},
    {"trap_factor", "×", trap_factor},
    {"trap_lie", "s", trap_lie},
    {"trap_honest", "s", trap_honest},
    {"trap_guard", "", trap_guard},
    {"trap_bias", "", trap_bias},
    {"ratio", "×", ratio, pair_ratio},
    {"margin", "", margin, pair_margin},
    {"stage_alone", "s", stage_alone, nullptr, true},
    {"cpu_over_cores", "s", cpu_over_cores},
    {"cores", "count", cores},
    {"counters", nullptr, counters, nullptr, true},
    {"traffic", "B", traffic, nullptr, true},
    {"parameter", nullptr, parameter, nullptr, true},
    {"ceiling", nullptr, ceiling, nullptr, true, true},
    {"machine", nullptr, machine, nullptr, true, true},
    {"counted", "count", no_result, nullptr, true, false, counted},
    {"accuracy_delta", "%", no_result, nullptr, false, false, nullptr, accuracy_delta}};

}  // namespace

std::span<const Metric> metrics() {
  return kMetrics;
}

NamedMetric find_metric(const std::string& name) {
  const size_t point = std::min(name.find('.'), name.size());
  const std::string_view whole = std::string_view(name).substr(0, point);
  const std::string part = point < name.size() ? name.substr(point + 1) : "";
  for (const Metric& metric : kMetrics) {
    if (whole == metric.name && metric.has_parts == !part.empty()) return {&metric, part};
  }
  return {};
}

}  // namespace ridge::figure
