#include "common/record/derive.h"

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/record/believable.h"
#include "common/record/bottleneck_map.h"
#include "common/record/clocks.h"
#include "common/record/compute_unit.h"
#include "common/record/params.h"
#include "common/record/pipeline_model.h"
#include "common/record/run.h"

namespace ridge {
namespace {

/// From this share of its bytes on, a kernel writes so much that reading alone is no ceiling for it.
/// (A square product writes a third of its bytes, a row operation half.)
constexpr double kWrites = 0.4;

/// Why nothing may be derived from this series; empty if something may.
std::string no_speed_reason(const Series& series) {
  if (series.status == SeriesStatus::failed || series.status == SeriesStatus::skipped) {
    return series.reason.empty() ? to_string(series.status) : series.reason;
  }
  if (const QualityCheck* check = series.quality(); check != nullptr && !check->passed) {
    return check->reason.empty() ? "the check " + check->what + " failed" : check->reason;
  }
  if (series.status == SeriesStatus::pending && series.checks.empty())
    return "waiting for its turn";
  if (series.status == SeriesStatus::running && series.checks.empty()) return "it is being checked";
  if (!series.may_show_speed()) return "its output was not checked";
  if (is_emulated(series)) return kEmulated;
  if (!series.stats) return "no time per call yet";
  if (!(series.stats->median_ns > 0)) return "the median time is not above 0";
  return "";
}

/// FLOP and bytes come with the outcome.
constexpr const char* kWhenEnded = "when it has ended";

/// What a call does is told with its result.
const char* not_counted(const Series& series, const char* otherwise) {
  return series.is_under_way()                      ? kWhenEnded
         : series.status == SeriesStatus::cancelled ? "cancelled before its result came"
                                                    : otherwise;
}

struct Rate {
  std::optional<double> value;
  std::optional<Interval> ci;
};

Rate rate(double amount, const Stats& stats) {
  Rate result{amount / (stats.median_ns * 1e-9), {}};
  if (stats.ci_ns && stats.ci_ns->low > 0 && stats.ci_ns->high >= stats.ci_ns->low) {
    // The longest time is the lowest rate.
    result.ci = Interval{amount / (stats.ci_ns->high * 1e-9), amount / (stats.ci_ns->low * 1e-9)};
  }
  return result;
}

std::string machine_part(const OpenEnum<Backend>& backend, int threads) {
  if (backend != Backend::cpu) return " on " + backend.text();
  return " with " + std::to_string(threads) + (threads == 1 ? " thread on " : " threads on ") +
         backend.text();
}

/// As find_ceiling(), whether it is in doubt or not.
const Ceiling* latest_ceiling(const std::vector<Ceiling>& ceilings,
                              const OpenEnum<Backend>& backend, const std::string& resource,
                              const std::string& dtype, int threads) {
  const Ceiling* found = nullptr;
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.source != "measured" || !(ceiling.value > 0) || !std::isfinite(ceiling.value)) {
      continue;
    }
    if (ceiling.backend != backend || ceiling.resource != resource) continue;
    if (!dtype.empty() && !ceiling.dtype.empty() && ceiling.dtype != dtype) continue;
    // Exactly as many threads: the ceiling of two would halve the share of one, and the ceiling of
    // one would double the share of two.
    if (backend == Backend::cpu && ceiling.threads != threads) continue;
    found = &ceiling;  // the latest measurement stands
  }
  return found;
}

/// The share of a ceiling, or the reason why there is none.
void fill_share(const Series& series, double achieved, const Ceiling* ceiling,
                const std::string& wanted, const std::string& above_reason,
                std::optional<Utilization>* share, std::string* reason, bool* is_doubted) {
  if (ceiling == nullptr) {
    *reason = "no measured ceiling for " + wanted;
    return;
  }
  if (!ceiling->doubt.empty()) {
    *is_doubted = true;
    *reason = "the ceiling " + ceiling->name + " is in doubt: " + ceiling->doubt;
    return;
  }
  const double value = achieved / ceiling->value;
  if (!(value <= kMostOfCeiling)) {
    *reason = "above the measured ceiling " + ceiling->name + ": " + above_reason;
    return;
  }
  const bool is_of_sms = !ceiling->resource.starts_with("dram");  // memory has a clock of its own
  *share = Utilization{.name = ceiling->name,
                       .value = value,
                       .source = "derived",
                       .clock_hz = is_of_sms ? series.sm_clock_hz.value_or(0) : 0,
                       .ceiling_clock_hz = is_of_sms ? ceiling->sm_clock_hz : 0};
}

std::string work_name(const std::string& resource) {
  return resource == "exp"       ? "exponentials"
         : resource == "logic"   ? "three-input logic"
         : resource == "l2_read" ? "bytes of the L2"
                                 : resource;
}

/// A product's bytes hold it back where their DRAM is slower than any unit that could do its FLOP; or where they take most
/// of what there is.
bool is_of_memory(const Series& series, const Derived& derived, const Ceiling& dram,
                  const std::vector<Ceiling>& ceilings, int threads) {
  if (derived.bandwidth->value >= binds_from::kCeiling) return true;
  const double flop_per_s = series.flop / series.bytes_min * dram.value;
  return std::any_of(ceilings.begin(), ceilings.end(), [&](const Ceiling& one) {
    const Ceiling* unit = one.resource == "flop" ? find_ceiling(ceilings, dram.backend,
                                                                one.resource, one.dtype, threads)
                                                 : nullptr;
    return unit != nullptr && flop_per_s <= unit->value;
  });
}

/// Derived::bandwidth_aside of a share of DRAM.
std::string aside_of_dram(const Series& series, const Derived& derived, const Ceiling& dram,
                          const std::vector<Ceiling>& ceilings, int threads) {
  if (series.flop > 0 && !derived.compute &&
      !is_of_memory(series, derived, dram, ceilings, threads))
    return derived.no_compute_reason;
  return "";
}

/// What the ranks of a collective send each other goes over their links, and a link's rate is no ceiling that is measured.
bool goes_over_links(const Series& series) {
  return family_of(series.kernel) == "collectives";
}

/// The last level of cache of what it runs on; 0: not known.
double last_cache_bytes(const Series& series, const Environment& machine) {
  if (backend_of(series.kernel) != Backend::cuda) return double(machine.cpu.l3_bytes);
  return machine.gpus.empty() ? 0 : double(machine.gpus.front().l2_bytes);
}

/// Why bytes that pass the ceiling of DRAM did not come from a cache; empty: they may have.
std::string passes_dram(const Series& series, const std::optional<Environment>& environment,
                        const Ceiling& ceiling) {
  if (!environment || series.cache != CacheMode::hot || !ceiling.resource.starts_with("dram"))
    return "";
  const double cache = last_cache_bytes(series, *environment);
  if (!(cache > 0) || !(series.memory_bytes > kOutside * cache)) return "";
  return "above the measured ceiling " + ceiling.name + ", " +
         ceiling_text(ceiling, ceiling.value) + ", and the last cache holds only " +
         format_bytes(cache) + " of its " + format_bytes(series.memory_bytes) +
         ": the ceiling should be measured again";
}

/// Of a rung of which compute is known.
void fill_bandwidth(const Series& series, const std::vector<Ceiling>& ceilings,
                    const std::optional<Environment>& environment, const std::string& machine,
                    Derived* result) {
  if (!(series.bytes_min > 0)) {
    result->no_bandwidth_reason = not_counted(series, "its bytes are not counted");
    return;
  }
  const OpenEnum<Backend> backend = backend_of(series.kernel);
  const int threads = static_cast<int>(param_int(series.params, "threads", 1));
  const Rate bytes = rate(series.bytes_min, *series.stats);
  result->bytes_per_s = bytes.value;
  result->bytes_per_s_ci = bytes.ci;
  const WorkRate* l2 = result->rate_of("l2_read");
  if (l2 && latest_ceiling(ceilings, backend, "l2_read", "", threads)) {
    result->bandwidth = l2->share;
    result->no_bandwidth_reason = l2->no_share_reason;
    result->is_bandwidth_doubted = l2->is_doubted;
    return;
  }
  if (goes_over_links(series)) {
    result->no_bandwidth_reason = "no measured ceiling for the links between its ranks";
    return;
  }
  const bool writes = series.bytes_written >= kWrites * series.bytes_min;
  const char* const resources[2] = {"dram_read", "dram_copy"};
  const Ceiling* ceiling = latest_ceiling(ceilings, backend, resources[writes], "", threads);
  if (ceiling == nullptr)
    ceiling = latest_ceiling(ceilings, backend, resources[!writes], "", threads);
  // What stays in a GPU's L2 does not come from DRAM. (Of a CPU's last level no rate is measured.)
  const bool is_in_l2 = backend == Backend::cuda && stays_cached(series, environment);
  const Ceiling* l2_roof = latest_ceiling(ceilings, backend, "l2_read", "", threads);
  if (is_in_l2 && l2_roof != nullptr) ceiling = l2_roof;
  fill_share(series, *bytes.value, ceiling, "memory bandwidth" + machine,
             "the data came from a cache", &result->bandwidth, &result->no_bandwidth_reason,
             &result->is_bandwidth_doubted);
  if (result->is_bandwidth_doubted) result->doubted_bandwidth = *bytes.value / ceiling->value;
  const bool is_above = ceiling && ceiling->doubt.empty() && !result->bandwidth;
  if (std::string why = is_above ? passes_dram(series, environment, *ceiling) : std::string();
      !why.empty()) {
    result->above_bandwidth = true;
    result->no_bandwidth_reason = std::move(why);
  }
  if (result->bandwidth)
    result->bandwidth_aside = aside_of_dram(series, *result, *ceiling, ceilings, threads);
}

}  // namespace

const WorkRate* Derived::rate_of(const std::string& resource) const {
  for (const WorkRate& one : work) {
    if (one.resource == resource) return &one;
  }
  return nullptr;
}

std::string exponentials_text(const Derived& derived) {
  const WorkRate* rate = derived.rate_of("exp");
  if (rate == nullptr) return "";
  return format_rate(rate->per_s, "exp/s") +
         (rate->share ? ", " + format_share(rate->share->value) : "");
}

std::string_view family_of(std::string_view kernel) {
  return kernel.substr(0, kernel.find('.'));
}

OpenEnum<Backend> backend_of(std::string_view kernel) {
  const size_t first = kernel.find('.');
  if (first == kernel.npos) return {};
  const std::string_view rest = kernel.substr(first + 1);
  return OpenEnum<Backend>(std::string(rest.substr(0, rest.find('.'))));
}

std::string dtype_of(const Series& series) {
  return series.dtype.empty() ? param_text(series.params, "dtype", "fp32") : series.dtype;
}

const Ceiling* find_ceiling(const std::vector<Ceiling>& ceilings, const OpenEnum<Backend>& backend,
                            const std::string& resource, const std::string& dtype, int threads) {
  const Ceiling* found = latest_ceiling(ceilings, backend, resource, dtype, threads);
  return found != nullptr && found->doubt.empty() ? found : nullptr;
}

std::optional<ItemTime> item_time(const Series& series) {
  if (!series.stats || !(series.stats->median_ns > 0) || !(series.items_per_s > 0))
    return std::nullopt;
  ItemTime made{1 / series.items_per_s, {}};
  const double share = made.s / series.stats->median_ns;
  if (const auto& ci = series.stats->ci_ns) made.ci_s = Interval{ci->low * share, ci->high * share};
  return made;
}

std::optional<Interval> item_rate_interval(const Series& series) {
  const auto item = item_time(series);
  if (!item || !item->ci_s || !(item->ci_s->low > 0)) return std::nullopt;
  return Interval{1 / item->ci_s->high, 1 / item->ci_s->low};
}

const char* rate_unit(const std::string& dtype) {
  return dtype.starts_with("int") ? "OP/s" : "FLOP/s";
}

std::string ceiling_text(const Ceiling& ceiling, double value) {
  return format_quantity(value, ceiling.unit == "FLOP/s" ? rate_unit(ceiling.dtype) : ceiling.unit);
}

std::string ceiling_age(const Ceiling& ceiling) {
  constexpr size_t kTime = std::string_view("2026-11-20T").size();
  if (ceiling.kept_utc.size() < kTime + 5) return "";
  const std::string age = ceiling.kept_s < 60
                              ? std::to_string(std::lround(std::max(0.0, ceiling.kept_s))) + " s"
                              : std::to_string(std::lround(ceiling.kept_s / 60)) + " min";
  return "of " + ceiling.kept_utc.substr(kTime, 5) + " UTC, " + age + " before this run";
}

std::string ceilings_age(const std::vector<Ceiling>& ceilings) {
  const Ceiling* oldest = nullptr;
  size_t kept = 0;
  for (const Ceiling& one : ceilings) {
    if (one.kept_utc.empty()) continue;
    ++kept;
    if (oldest == nullptr || one.kept_s > oldest->kept_s) oldest = &one;
  }
  if (oldest == nullptr) return "";
  if (kept == ceilings.size()) return "ceilings " + ceiling_age(*oldest);
  return std::to_string(kept) + " of " + std::to_string(ceilings.size()) + " ceilings " +
         ceiling_age(*oldest) + ", the others measured in it";
}

std::string ceiling_source(const Ceiling& ceiling) {
  const std::string age = ceiling_age(ceiling);
  std::string text = ceiling.source + (age.empty() ? "" : ", " + age) +
                     (ceiling.doubt.empty() ? "" : ", in doubt");
  for (const std::string& more :
       {ceiling_clock(ceiling), ceiling_samples(ceiling), ceiling_load(ceiling)})
    text += more.empty() ? "" : ", " + more;
  return text;
}

std::string ceiling_clock(const Ceiling& ceiling) {
  return ceiling.sm_clock_hz > 0 ? "at " + mhz_text(ceiling.sm_clock_hz) : "";
}

std::string ceiling_samples(const Ceiling& ceiling) {
  if (ceiling.samples <= 0 || !(ceiling.median > 0)) return "";
  // A copy of 31 GB/s beside a read of 18 is no contradiction.
  return "best of " + std::to_string(ceiling.samples) + ", median " +
         ceiling_text(ceiling, ceiling.median) +
         (ceiling.resource == "dram_copy" ? ", each byte counted twice: read and written" : "");
}

std::string ceiling_load(const Ceiling& ceiling) {
  if (!(ceiling.foreign_cpus > 0)) return "";
  const std::string cpus = format_number(ceiling.foreign_cpus, 2);
  return "busy machine: others used " + cpus + (cpus == "1.0" ? " CPU" : " CPUs") + " meanwhile";
}

double spread_of(const Stats& stats) {
  if (!(stats.median_ns > 0)) return 0;
  const Interval whole = stats.ci_ns.value_or(Interval{stats.min_ns, stats.max_ns});
  return (whole.high - whole.low) / 2 / stats.median_ns;
}

bool is_steady(const Stats& stats) {
  constexpr double kWide = 0.3;
  return stats.n >= 2 && spread_of(stats) <= kWide;
}

bool stays_cached(const Series& series, const std::optional<Environment>& environment) {
  if (!environment || series.cache != CacheMode::hot) return false;
  return series.memory_bytes > 0 && series.memory_bytes <= last_cache_bytes(series, *environment);
}

Derived derive(const Series& series, const std::vector<Ceiling>& ceilings,
               const std::optional<Environment>& environment) {
  Derived result;
  result.no_compute_reason = result.no_bandwidth_reason = no_speed_reason(series);
  if (!result.no_compute_reason.empty()) return result;

  const OpenEnum<Backend> backend = backend_of(series.kernel);
  const std::string dtype = dtype_of(series);
  const int threads = static_cast<int>(param_int(series.params, "threads", 1));
  const std::string machine = machine_part(backend, threads);

  for (const auto& [resource, amount] : series.work) {
    if (!(amount > 0) || resource.starts_with("model_")) continue;
    const Rate made = rate(amount, *series.stats);
    WorkRate one{.resource = resource, .per_s = *made.value, .per_s_ci = made.ci};
    fill_share(series, one.per_s, latest_ceiling(ceilings, backend, resource, "", threads),
               work_name(resource) + machine, "the ceiling should be measured again", &one.share,
               &one.no_share_reason, &one.is_doubted);
    result.work.push_back(std::move(one));
  }

  if (series.pipeline && series.pipeline->ratio > 0) {
    result.no_compute_reason = bound_doubt(*series.pipeline);
    if (result.no_compute_reason.empty()) {
      result.compute = Utilization{series.pipeline->bound, 1 / series.pipeline->ratio, "derived"};
      result.no_compute_reason = "its FLOP are not counted";  // the share is of a time
    }
  } else if (series.flop > 0) {
    const Rate flop = rate(series.flop, *series.stats);
    result.flop_per_s = flop.value;
    result.flop_per_s_ci = flop.ci;
    if (series.energy_j) result.energy_per_flop_j = *series.energy_j / series.flop;
    const ComputeUnit unit = compute_unit(series);
    const Ceiling* of_unit = latest_ceiling(ceilings, backend, "flop", unit.dtype, threads);
    const Ceiling counted = of_unit ? in_counted_flop(*of_unit, unit) : Ceiling();
    const Ceiling* ceiling = of_unit ? &counted : nullptr;
    const std::string wanted = unit.products == 1 ? dtype : "its unit, " + unit.dtype;
    fill_share(series, *flop.value, ceiling, wanted + machine,
               "it does fewer operations than are counted, or in other units; or the ceiling "
               "should be measured again",
               &result.compute, &result.no_compute_reason, &result.is_compute_doubted);
    result.above_compute = ceiling != nullptr && ceiling->doubt.empty() && !result.compute;
  } else if (const WorkRate* logic = result.rate_of("logic")) {
    result.compute = logic->share;
    result.no_compute_reason = logic->no_share_reason;
    result.is_compute_doubted = logic->is_doubted;
  } else {
    result.no_compute_reason = not_counted(series, "its FLOP are not counted");
  }
  fill_bandwidth(series, ceilings, environment, machine, &result);
  return result;
}

Derived derive(const Series& series, const Run& run) {
  return derive(series, run.ceilings(), run.environment());
}

std::string doubted_ceiling(const Derived& derived) {
  if (derived.is_compute_doubted) return derived.no_compute_reason;
  return derived.is_bandwidth_doubted ? derived.no_bandwidth_reason : "";
}

const Utilization* nearest_ceiling(const Derived& derived) {
  const WorkRate* exp = derived.rate_of("exp");
  const Utilization* nearest = nullptr;
  const auto* bandwidth = derived.bandwidth_aside.empty() ? &derived.bandwidth : nullptr;
  for (const auto* use : {&derived.compute, bandwidth, exp ? &exp->share : nullptr})
    if (use && *use && (!nearest || (*use)->value > nearest->value)) nearest = &**use;
  return nearest;
}

const std::string& no_ceiling_reason(const Derived& derived) {
  if (derived.flop_per_s) return derived.no_compute_reason;
  if (!derived.bandwidth_aside.empty()) return derived.bandwidth_aside;
  return derived.no_bandwidth_reason.empty() ? derived.no_compute_reason
                                             : derived.no_bandwidth_reason;
}

std::string nearest_ceiling_text(const Derived& derived) {
  const Utilization* nearest = nearest_ceiling(derived);
  if (!nearest) return "";
  const std::string share = format_share(nearest->value);
  if (derived.compute && nearest == &*derived.compute) return share;
  return share + " of " + nearest->name.substr(0, nearest->name.find(','));  // without its threads
}

bool reads_over(const std::optional<Utilization>& share) {
  constexpr double kReadsSo = 1.005;
  return share && share->value >= kReadsSo;
}

bool is_over_ceiling(const Derived& derived) {
  return derived.above_compute || derived.above_bandwidth || reads_over(derived.compute) ||
         reads_over(derived.bandwidth);
}

bool is_emulated(const Series& series) {
  const auto why = series.unavailable.find("stats");
  return why != series.unavailable.end() && why->second == kEmulated;
}

std::string energy_text(const Series& series, const Derived& derived) {
  if (!series.energy_j || !std::isfinite(*series.energy_j)) return "";
  std::string text = format_quantity(*series.energy_j, "J");
  text += series.energy_error_j && *series.energy_j > 0
              ? " " + format_percent_width(*series.energy_error_j / *series.energy_j)
              : " (coarse)";
  if (derived.energy_per_flop_j) {
    text += ", " + format_quantity(*derived.energy_per_flop_j, "J") + "/FLOP";
  }
  return text;
}

}  // namespace ridge
