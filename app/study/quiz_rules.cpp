// The rules: each gives a candidate a score and says which score is the answer. A new rule is one
// function and one line of the table.
#include <cmath>

#include "app/study/quiz_parts.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/params.h"

namespace ridge::study {
namespace {

using Candidates = std::vector<Candidate>;

/// Under six samples there is no interval of the median; their range stands in for it.
Score time_per_call(const Series& series) {
  const Stats& stats = *series.stats;
  const Interval range = stats.ci_ns.value_or(Interval{stats.min_ns, stats.max_ns});
  return {stats.median_ns, range,
          format_time_ns(stats.median_ns) + " " + format_time_interval(range)};
}

std::optional<Score> score_time(const Candidates& all, size_t at, const Run&, std::string*) {
  return time_per_call(*all[at].series);
}

/// t of `slow` over t of `fast`: every pair of values that the two intervals allow.
Score ratio_of(const Series& slow, const Series& fast) {
  const Score a = time_per_call(slow), b = time_per_call(fast);
  Score made{a.value / b.value, {}, format_ratio(a.value / b.value)};
  if (a.interval && b.interval && b.interval->low > 0)
    made.interval =
        Interval{a.interval->low / b.interval->high, a.interval->high / b.interval->low};
  return made;
}

/// The first has nothing before it, and that is no fault: it has no score and no reason.
std::optional<Score> score_step(const Candidates& all, size_t at, const Run&, std::string*) {
  if (at == 0) return std::nullopt;
  return ratio_of(*all[at - 1].series, *all[at].series);
}

std::optional<Score> score_of_fastest(const Candidates& all, size_t at, const Run&, std::string*) {
  const Candidate* fastest = &all.front();
  for (const Candidate& one : all) {
    if (one.series->stats->median_ns < fastest->series->stats->median_ns) fastest = &one;
  }
  if (fastest == &all[at]) return Score{1, {}, format_share(1)};
  Score made = ratio_of(*fastest->series, *all[at].series);
  made.text = format_share(made.value);
  return made;
}

std::optional<Score> share(const std::optional<Utilization>& share,
                           const std::optional<double>& rate, const std::optional<Interval>& ci) {
  if (!share) return std::nullopt;
  Score made{share->value, {}, format_share(share->value)};
  if (rate && ci) {
    const double scale = share->value / *rate;
    made.interval = Interval{ci->low * scale, ci->high * scale};
  }
  return made;
}

std::optional<Score> score_bandwidth(const Candidates& all, size_t at, const Run& run,
                                     std::string* reason) {
  const Derived derived = derive(*all[at].series, run.ceilings());
  *reason = derived.no_bandwidth_reason;
  return share(derived.bandwidth, derived.bytes_per_s, derived.bytes_per_s_ci);
}

std::optional<Score> score_compute(const Candidates& all, size_t at, const Run& run,
                                   std::string* reason) {
  const Derived derived = derive(*all[at].series, run.ceilings());
  *reason = derived.no_compute_reason;
  return share(derived.compute, derived.flop_per_s, derived.flop_per_s_ci);
}

std::optional<Score> score_rate(const Candidates& all, size_t at, const Run& run,
                                std::string* reason) {
  const Derived derived = derive(*all[at].series, run.ceilings());
  *reason = derived.no_compute_reason;
  if (!derived.flop_per_s) return std::nullopt;
  return Score{*derived.flop_per_s, derived.flop_per_s_ci,
               format_rate(*derived.flop_per_s, "FLOP/s")};
}

/// Arithmetic intensity over the ridge point of the ceilings measured for this type and these threads:
/// above 1 the compute roof is the lower one.
std::optional<Score> intensity_over_ridge(const Series& series, const Run& run,
                                          std::string* reason) {
  const OpenEnum<Backend> backend = backend_of(series.kernel);
  const int threads = static_cast<int>(param_int(series.params, "threads", 1));
  const Ceiling* compute = find_ceiling(run.ceilings(), backend, "flop", dtype_of(series), threads);
  const Ceiling* memory = find_ceiling(run.ceilings(), backend, "dram_read", "", threads);
  if (!compute || !memory) {
    *reason = std::string("no measured ceiling for ") + (compute ? "memory" : dtype_of(series));
    return std::nullopt;
  }
  if (!(series.flop > 0) || !(series.bytes_min > 0)) {
    *reason = "its work and bytes are not known";
    return std::nullopt;
  }
  const double intensity = series.flop / series.bytes_min, ridge = compute->value / memory->value;
  return Score{intensity / ridge,
               {},
               format_number(intensity) + " FLOP/byte, ridge at " + format_number(ridge)};
}

std::optional<Score> score_compute_bound(const Candidates& all, size_t at, const Run& run,
                                         std::string* reason) {
  return intensity_over_ridge(*all[at].series, run, reason);
}

std::optional<Score> score_memory_bound(const Candidates& all, size_t at, const Run& run,
                                        std::string* reason) {
  auto made = intensity_over_ridge(*all[at].series, run, reason);
  if (made) made->value = 1 / made->value;
  return made;
}

std::optional<Score> score_ridge_distance(const Candidates& all, size_t at, const Run& run,
                                          std::string* reason) {
  auto made = intensity_over_ridge(*all[at].series, run, reason);
  if (made) made->value = std::abs(std::log(made->value));
  return made;
}

/// Of the timed shape: the awkward ones are the same for every size asked.
std::optional<Score> score_error(const Candidates& all, size_t at, const Run&,
                                 std::string* reason) {
  const QualityCheck* check = all[at].series->quality();
  for (const QualityCheck& one : all[at].series->checks) {
    if (one.what.starts_with("timed shape")) check = &one;
  }
  *reason = "its output was not checked";
  if (!check || !(check->nmse >= 0)) return std::nullopt;
  return Score{check->nmse, {}, "NMSE " + format_scientific(check->nmse)};
}

std::optional<Score> score_noise(const Candidates& all, size_t at, const Run&, std::string*) {
  const double noise = all[at].series->stats->noise;
  return Score{noise, {}, format_share(noise)};
}

std::optional<Score> score_tail(const Candidates& all, size_t at, const Run&, std::string* reason) {
  const auto& latency = all[at].series->latency;
  *reason = "no p95: it needs 59 single calls";
  if (!latency || !latency->p50_ns || !latency->p95_ns || !(*latency->p50_ns > 0))
    return std::nullopt;
  const double tail = *latency->p95_ns / *latency->p50_ns;
  return Score{tail, {}, format_ratio(tail)};
}

std::optional<Score> score_waiting(const Candidates& all, size_t at, const Run&,
                                   std::string* reason) {
  const Series& series = *all[at].series;
  *reason = "its latency was not measured";
  if (!series.latency || !series.latency->p50_ns) return std::nullopt;
  const double ratio = *series.latency->p50_ns / series.stats->median_ns;
  return Score{ratio, {}, format_ratio(ratio)};
}

std::optional<Score> score_memory(const Candidates& all, size_t at, const Run&,
                                  std::string* reason) {
  const double bytes = all[at].series->memory_bytes;
  *reason = "its memory is not known";
  if (!(bytes > 0)) return std::nullopt;
  return Score{bytes, {}, format_bytes(bytes)};
}

std::optional<Score> score_energy(const Candidates& all, size_t at, const Run&,
                                  std::string* reason) {
  const Series& series = *all[at].series;
  const auto why = series.unavailable.find("energy_j");
  *reason = why == series.unavailable.end() ? "its energy was not measured" : why->second;
  if (!series.energy_j) return std::nullopt;
  return Score{*series.energy_j, {}, format_quantity(*series.energy_j, "J")};
}

const RuleCode kRules[] = {
    {{"shortest_time", "the shortest time per call, each rung in its own run", false},
     Pick::smallest,
     0,
     score_time},
    {{"highest_rate", "the most FLOP/s", false}, Pick::largest, 0, score_rate},
    {{"largest_step", "the largest gain over the candidate before it", false},
     Pick::largest,
     0,
     score_step},
    {{"smallest_step", "the smallest gain over the candidate before it", false},
     Pick::smallest,
     0,
     score_step},
    {{"first_near_fastest", "the first that reaches a share of the fastest candidate's speed",
      true},
     Pick::first_reaching,
     0,
     score_of_fastest},
    {{"highest_compute_share", "the largest share of the measured FLOP ceiling", false},
     Pick::largest,
     0,
     score_compute},
    {{"highest_bandwidth_share", "the largest share of the measured memory ceiling", false},
     Pick::largest,
     0,
     score_bandwidth},
    {{"nearest_ridge", "the arithmetic intensity nearest to the ridge point, in ratio", false},
     Pick::smallest,
     0,
     score_ridge_distance},
    {{"first_memory_bound", "the first with less intensity than the ridge point", false},
     Pick::first_reaching,
     1,
     score_memory_bound},
    {{"first_compute_bound", "the first with at least the ridge point's intensity", false},
     Pick::first_reaching,
     1,
     score_compute_bound},
    {{"worst_error", "the largest error against float64", false}, Pick::largest, 0, score_error},
    {{"noisiest", "the widest spread of samples", false}, Pick::largest, 0, score_noise},
    {{"longest_tail", "the largest p95 over p50 of single calls", false},
     Pick::largest,
     0,
     score_tail},
    {{"most_waiting", "the largest latency of one call over time per call", false},
     Pick::largest,
     0,
     score_waiting},
    {{"most_memory", "the most bytes held during a call", false}, Pick::largest, 0, score_memory},
    {{"least_energy", "the least energy of a call", false}, Pick::smallest, 0, score_energy},
};

}  // namespace

const RuleCode* find_rule(const std::string& name) {
  for (const RuleCode& code : kRules) {
    if (name == code.rule.name) return &code;
  }
  return nullptr;
}

const std::vector<Rule>& quiz_rules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> made;
    for (const RuleCode& code : kRules) made.push_back(code.rule);
    return made;
  }();
  return rules;
}

}  // namespace ridge::study
