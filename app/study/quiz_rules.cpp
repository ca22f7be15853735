// The rules: each gives a candidate a score and says which score is the answer. A new rule is one
// function and one line of the table.
#include "app/study/quiz_rules.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/in_turns.h"
#include "common/record/params.h"
#include "common/record/processor_share.h"
#include "common/record/trap.h"

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

/// t of `slow` over t of `fast`: of the pair that ran in turns, as everywhere else; without one a quotient, with every pair of
/// values that the two intervals allow.
Score ratio_of(const Run& run, const Series& slow, const Series& fast) {
  if (const auto pair = weightiest_pair(run, slow, fast); pair && pair->ratio > 0)
    return {pair->ratio, pair->ci, headline_ratio_text(*pair)};
  const Score a = time_per_call(slow), b = time_per_call(fast);
  Score made{a.value / b.value, {}, "≈ " + format_ratio(a.value / b.value)};
  if (a.interval && b.interval && b.interval->low > 0)
    made.interval =
        Interval{a.interval->low / b.interval->high, a.interval->high / b.interval->low};
  return made;
}

/// The first has nothing before it, and that is no fault: it has no score and no reason.
std::optional<Score> score_step(const Candidates& all, size_t at, const Run& run, std::string*) {
  if (at == 0) return std::nullopt;
  return ratio_of(run, *all[at - 1].series, *all[at].series);
}

std::optional<Score> score_of_fastest(const Candidates& all, size_t at, const Run& run,
                                      std::string*) {
  const Candidate* fastest = &all.front();
  for (const Candidate& one : all) {
    if (one.series->stats->median_ns < fastest->series->stats->median_ns) fastest = &one;
  }
  if (fastest == &all[at]) return Score{1, {}, format_share(1)};
  Score made = ratio_of(run, *fastest->series, *all[at].series);
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
  const Derived derived = derive(*all[at].series, run);
  *reason = derived.no_bandwidth_reason;
  return share(derived.bandwidth, derived.bytes_per_s, derived.bytes_per_s_ci);
}

std::optional<Score> score_compute(const Candidates& all, size_t at, const Run& run,
                                   std::string* reason) {
  const Derived derived = derive(*all[at].series, run);
  *reason = derived.no_compute_reason;
  return share(derived.compute, derived.flop_per_s, derived.flop_per_s_ci);
}

std::optional<Score> score_rate(const Candidates& all, size_t at, const Run& run,
                                std::string* reason) {
  const Derived derived = derive(*all[at].series, run);
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

/// How far a claim or a trap is off, either way, in times.
std::optional<Score> score_bias(const Candidates& all, size_t at, const Run&, std::string* reason) {
  const TrapOutcome& trap = *all[at].series->trap;
  *reason = "its factor is not above zero";
  if (!(trap.factor > 0)) return std::nullopt;
  const auto off = [](double factor) { return std::max(factor, 1 / factor); };
  Score made{off(trap.factor), {}, bias_text(trap)};
  if (trap.ci && trap.ci->low > 0) {
    const double low = off(trap.ci->low), high = off(trap.ci->high);
    const bool has_one = trap.ci->low <= 1 && trap.ci->high >= 1;
    made.interval = Interval{has_one ? 1 : std::min(low, high), std::max(low, high)};
  }
  return made;
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
    {{"largest_bias", "the reading furthest from the honest one, in ratio", false},
     Pick::largest,
     0,
     score_bias,
     true},
    {{"smallest_bias", "the reading nearest to the honest one, in ratio", false},
     Pick::smallest,
     0,
     score_bias,
     true},
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

namespace {

/// The parameter that is the problem's size, and those that copy it where they are not set.
struct Size {
  std::string name;
  std::vector<std::string> copies;

  /// The one value of all of them; absent where they differ, as in a product that is not square.
  std::optional<int64_t> of(const Params& params) const {
    const int64_t value = param_int(params, name);
    const bool same = std::all_of(copies.begin(), copies.end(), [&](const std::string& copy) {
      return param_int(params, copy, value) == value;
    });
    return value > 0 && same ? std::optional(value) : std::nullopt;
  }
};

/// As the catalogue says; before there is one, the lab's first slider.
Size size_of(const Question& question, const Lab& lab, const Run& run) {
  Size size{run.size_param(question.rungs.front()), {}};
  if (size.name.empty() && !lab.params.empty()) size.name = lab.params.front().name;
  if (const KernelInfo* info = run.kernel(question.rungs.front())) {
    for (const ParamSpec& spec : info->params) {
      if (spec.same_as == size.name) size.copies.push_back(spec.name);
    }
  }
  return size;
}

/// What candidates share. A rung runs in its own type, so the type may differ between rungs.
struct Key {
  Params params;
  OpenEnum<CacheMode> cache;
  bool operator<(const Key& other) const {
    return std::tie(params, cache.text()) < std::tie(other.params, other.cache.text());
  }
};

Key key_of(const Question& question, const Size& size, const Series& series) {
  Key key{series.params, series.cache};
  if (question.over == Over::rungs) {
    key.params.erase("dtype");
  } else {
    key.params.erase(size.name);
    for (const std::string& copy : size.copies) key.params.erase(copy);
  }
  return key;
}

/// Whether the series has what the question's rule scores: a trap's two readings, or a speed.
bool is_scored(const Question& question, const Series& series) {
  if (series.status != SeriesStatus::ok || !series.quality_passed()) return false;
  const RuleCode* rule = find_rule(question.rule);
  if (rule != nullptr && rule->of_traps) return series.trap.has_value();
  return series.stats && series.stats->median_ns > 0;
}

std::string title_of(const Lab& lab, const std::string& kernel) {
  const auto rung = find_rung(lab, kernel);
  return rung ? (*rung)->title : kernel;
}

/// Every candidate that the question names, none of them measured.
std::vector<Candidate> wanted(const Question& question, const Lab& lab, const Size& size) {
  std::vector<Candidate> made;
  if (question.over == Over::rungs) {
    for (const std::string& kernel : question.rungs)
      made.push_back({kernel, question.set, title_of(lab, kernel), nullptr});
  } else {
    for (const int64_t value : question.sizes) {
      Params params = question.set;
      params[size.name] = value;
      made.push_back(
          {question.rungs.front(), params, size.name + " = " + std::to_string(value), nullptr});
    }
  }
  return made;
}

/// The type in which a rung takes part: the question's, else its own first one as the catalogue says.
bool in_type(const Question& question, const Series& series, const Run& run) {
  const KernelInfo* info = run.kernel(series.kernel);
  const std::string own = info && !info->dtypes.empty() ? info->dtypes.front() : "";
  const std::string wanted = param_text(question.set, "dtype", own);
  return wanted.empty() || dtype_of(series) == wanted;
}

bool is_about(const Question& question, const Size& size, const Candidate& candidate,
              const Series& series, const Run& run) {
  if (series.kernel != candidate.kernel || !in_type(question, series, run)) return false;
  if (question.over == Over::rungs) return true;
  return size.of(series.params) == param_int(candidate.params, size.name);
}

/// Of all groups with a result, the one with most candidates, then the question's own problem, then the
/// latest.
std::optional<Key> best_key(const Question& question, const Size& size,
                            const std::vector<Candidate>& candidates, const Run& run) {
  std::map<Key, std::set<size_t>> groups;
  std::map<Key, size_t> latest;
  for (size_t i = 0; i < run.series().size(); ++i) {
    const Series& series = run.series()[i];
    if (!is_scored(question, series)) continue;
    for (size_t c = 0; c < candidates.size(); ++c) {
      if (!is_about(question, size, candidates[c], series, run)) continue;
      const Key key = key_of(question, size, series);
      groups[key].insert(c);
      latest[key] = i;
    }
  }
  std::optional<Key> best;
  for (const auto& [key, found] : groups) {
    const auto rank = [&](const Key& of) {
      return std::tuple(groups[of].size(), agrees(of.params, question.set), latest[of]);
    };
    if (!best || rank(key) > rank(*best)) best = key;
  }
  return best;
}

/// Why a candidate can have no speed in this group; empty where it may yet get one.
std::string why_none(const Question& question, const Size& size, const Candidate& candidate,
                     const Key* key, const Run& run) {
  const KernelInfo* info = run.kernel(candidate.kernel);
  if (info && !info->available) return info->reason;
  if (!key) return "";
  for (const Series& series : run.series()) {
    if (series.kernel != candidate.kernel) continue;
    if (!series.reduced_from.empty()) {
      const auto asked = parse_params({series.reduced_from});
      if (asked && agrees(key->params, *asked) && agrees(candidate.params, *asked))
        return "one call would take over 5 s at " + series.reduced_from;
    }
    const bool refused =
        series.status == SeriesStatus::failed || series.status == SeriesStatus::skipped;
    if (refused && is_about(question, size, candidate, series, run) &&
        key_of(question, size, series).params == key->params)
      return series.reason.empty() ? to_string(series.status) : series.reason;
  }
  return "";
}

/// "n = 512, 1 thread"; a GPU's rungs ignore the threads.
std::string problem_of(const Params& params, const std::string& size, bool on_cpu) {
  std::string text = size_text(params, size);
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (const std::string dtype = param_text(params, "dtype"); !dtype.empty()) add(dtype);
  if (const int64_t threads = param_int(params, "threads"); on_cpu && threads > 0)
    add(std::to_string(threads) + (threads == 1 ? " thread" : " threads"));
  return text;
}

}  // namespace

bool Group::complete() const {
  return std::all_of(candidates.begin(), candidates.end(),
                     [](const Candidate& one) { return one.series != nullptr; });
}

Group group_of(const Question& question, const Lab& lab, const Run& run) {
  Group group;
  const Size size = size_of(question, lab, run);
  std::vector<Candidate> all = wanted(question, lab, size);
  const std::optional<Key> key = best_key(question, size, all, run);
  for (Candidate& candidate : all) {
    for (const Series& series : run.series()) {  // the latest stays
      if (key && is_scored(question, series) && is_about(question, size, candidate, series, run) &&
          !(key_of(question, size, series) < *key) && !(*key < key_of(question, size, series))) {
        candidate.series = &series;
        candidate.params = series.params;
      }
    }
    if (!candidate.series && key) {
      for (const auto& [name, value] : key->params) candidate.params[name] = value;
    }
    const std::string reason =
        candidate.series ? "" : why_none(question, size, candidate, key ? &*key : nullptr, run);
    if (!reason.empty())
      group.left_out[reason].push_back(candidate.label);
    else
      group.candidates.push_back(std::move(candidate));
  }
  if (key)
    group.problem =
        problem_of(key->params, size.name, backend_of(question.rungs.front()) == Backend::cpu);
  return group;
}

}  // namespace ridge::study
