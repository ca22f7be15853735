#include "common/view/figure/metrics.h"

#include <algorithm>
#include <string_view>

namespace ridge::figure {
namespace {

constexpr double kNs = 1e-9;

std::optional<Interval> seconds(const std::optional<Interval>& ns) {
  if (!ns) return std::nullopt;
  return Interval{ns->low * kNs, ns->high * kNs};
}

std::optional<Value> time_per_call(const Series& series, const Derived&) {
  if (!series.stats || !(series.stats->median_ns > 0)) return std::nullopt;
  return Value{series.stats->median_ns * kNs, seconds(series.stats->ci_ns)};
}

std::optional<Value> time_per_item(const Series& series, const Derived&) {
  const auto item = item_time(series);
  return item ? std::optional(Value{item->s, item->ci_s}) : std::nullopt;
}

std::optional<Value> latency(const Series& series, const Derived&) {
  if (!series.latency || !series.latency->p50_ns) return std::nullopt;
  return Value{*series.latency->p50_ns * kNs, {}};
}

std::optional<Value> throughput(const Series&, const Derived& derived) {
  if (!derived.flop_per_s) return std::nullopt;
  return Value{*derived.flop_per_s, derived.flop_per_s_ci};
}

std::optional<Value> memory_bandwidth(const Series&, const Derived& derived) {
  if (!derived.bytes_per_s) return std::nullopt;
  return Value{*derived.bytes_per_s, derived.bytes_per_s_ci};
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

std::optional<Value> utilization(const Series&, const Derived& derived) {
  return share_of(derived.compute, derived.flop_per_s, derived.flop_per_s_ci);
}

std::optional<Value> bandwidth_share(const Series&, const Derived& derived) {
  return share_of(derived.bandwidth, derived.bytes_per_s, derived.bytes_per_s_ci);
}

std::optional<Value> exponentials(const Series&, const Derived& derived) {
  const WorkRate* rate = derived.rate_of("exp");
  if (!rate) return std::nullopt;
  return Value{rate->per_s, rate->per_s_ci};
}

std::optional<Value> error_nmse(const Series& series, const Derived&) {
  const QualityCheck* check = series.quality();
  if (!check || check->nan_count > 0 || !(check->nmse >= 0)) return std::nullopt;
  return Value{check->nmse, {}};
}

std::optional<Value> accuracy(const Series& series, const Derived&) {
  const QualityCheck* check = series.quality();
  if (!check) return std::nullopt;
  const auto found = check->task.find("accuracy");
  if (found == check->task.end()) return std::nullopt;
  return Value{found->second, {}};
}

std::optional<Value> items_rate(const Series& series, const Derived&) {
  if (!(series.items_per_s > 0)) return std::nullopt;
  return Value{series.items_per_s, {}};
}

std::optional<Value> memory(const Series& series, const Derived&) {
  if (!(series.memory_bytes > 0)) return std::nullopt;
  return Value{series.memory_bytes, {}};
}

std::optional<Value> energy(const Series& series, const Derived&) {
  if (!series.energy_j) return std::nullopt;
  Value made{*series.energy_j, {}};
  if (series.energy_error_j)
    made.interval =
        Interval{made.value - *series.energy_error_j, made.value + *series.energy_error_j};
  return made;
}

std::optional<Value> sm_clock(const Series& series, const Derived&) {
  if (!series.sm_clock_hz) return std::nullopt;
  return Value{*series.sm_clock_hz, {}};
}

std::optional<Value> trap_factor(const Series& series, const Derived&) {
  if (!series.trap) return std::nullopt;
  return Value{series.trap->factor, series.trap->ci};
}

Value reading(const TrapOutcome& trap, const TrapFigure& figure) {
  return {figure.median, figure.ci, trap.unit.empty() ? "×" : trap.unit};
}

std::optional<Value> trap_lie(const Series& series, const Derived&) {
  if (!series.trap) return std::nullopt;
  return reading(*series.trap, series.trap->lie);
}

std::optional<Value> trap_honest(const Series& series, const Derived&) {
  if (!series.trap) return std::nullopt;
  return reading(*series.trap, series.trap->honest);
}

/// How near a pipeline came to its bound; of two runs' figures it never is.
std::optional<Value> ratio(const Series& series, const Derived&) {
  if (!series.pipeline) return std::nullopt;
  return Value{series.pipeline->ratio, series.pipeline->ci};
}

/// Of a pipeline, the time per item of its stage that is called `name`, or `name` and more ("copy and decode"), alone.
std::optional<Value> stage_alone(const Series& series, std::string_view name) {
  if (!series.pipeline) return std::nullopt;
  for (const StageTime& stage : series.pipeline->stages) {
    if (stage.name.starts_with(name)) return Value{stage.alone_ns * kNs, {}};
  }
  return std::nullopt;
}

std::optional<Value> stage_load(const Series& series, const Derived&) {
  return stage_alone(series, "load");
}

std::optional<Value> stage_copy(const Series& series, const Derived&) {
  return stage_alone(series, "copy");
}

std::optional<Value> stage_step(const Series& series, const Derived&) {
  return stage_alone(series, "step");
}

/// The other term of a pipeline's bound: the CPU time of all its stages over the cores, per item.
std::optional<Value> cpu_over_cores(const Series& series, const Derived&) {
  if (!series.pipeline || series.pipeline->cores < 1) return std::nullopt;
  double cpu_ns = 0;
  for (const StageTime& stage : series.pipeline->stages) cpu_ns += stage.cpu_ns;
  return Value{cpu_ns * kNs / series.pipeline->cores, {}};
}

std::optional<Value> cores(const Series& series, const Derived&) {
  if (!series.pipeline || series.pipeline->cores < 1) return std::nullopt;
  return Value{double(series.pipeline->cores), {}};
}

constexpr Metric kMetrics[] = {{"time_per_call", "s", time_per_call},
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
                               {"ratio", "×", ratio},
                               {"stage_load", "s", stage_load},
                               {"stage_copy", "s", stage_copy},
                               {"stage_step", "s", stage_step},
                               {"cpu_over_cores", "s", cpu_over_cores},
                               {"cores", "", cores}};

}  // namespace

std::span<const Metric> metrics() {
  return kMetrics;
}

const Metric* find_metric(const std::string& name) {
  const auto found = std::find_if(std::begin(kMetrics), std::end(kMetrics),
                                  [&](const Metric& metric) { return name == metric.name; });
  return found == std::end(kMetrics) ? nullptr : found;
}

}  // namespace ridge::figure
