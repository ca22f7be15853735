#include "common/view/report/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge {
namespace {

std::string title_of(const std::string& kernel, const Titles& titles) {
  const auto found = titles.find(kernel);
  return found == titles.end() ? kernel : found->second;
}

const Series* side_series(const Run& run, int64_t request, int index, const std::string& kernel,
                          const Params& params) {
  for (const Series& series : run.series()) {
    if (series.request == request && series.index == index && series.kernel == kernel) {
      return &series;
    }
  }
  return run.latest(kernel, params);
}

std::string precision(const Series* series, const Params& params) {
  if (series && !series->dtype.empty()) return series->dtype;
  return param_text(params, "dtype");
}

/// What differs between the sides, and what both have.
std::string change_text(const Comparison& comparison, const Titles& titles) {
  const Params& base = comparison.baseline_params;
  const Params& candidate = comparison.candidate_params;
  Params common, base_own, candidate_own;
  for (const auto& [name, value] : candidate) {
    const auto other = base.find(name);
    (other != base.end() && other->second == value ? common : candidate_own)[name] = value;
  }
  for (const auto& [name, value] : base) {
    if (!common.contains(name)) base_own[name] = value;
  }
  auto side = [&](const std::string& kernel, const Params& own) {
    return title_of(kernel, titles) + (own.empty() ? "" : " (" + to_string(own) + ")");
  };
  std::string text =
      side(comparison.baseline, base_own) + " → " + side(comparison.candidate, candidate_own);
  if (!common.empty()) text += " at " + to_string(common);
  if (!comparison.cache.empty()) text += ", " + comparison.cache.text() + " cache";
  return text;
}

/// Times of one side in the rounds, for a comparison that has no series of its own.
std::optional<double> median_round_ns(const Run& run, const Comparison& comparison) {
  std::vector<double> times;
  for (const Round& round : run.rounds(comparison.request)) {
    for (size_t i = 0; i < round.order.size() && i < round.t_ns.size(); ++i) {
      if (round.order[i] - '0' == comparison.candidate_index) times.push_back(round.t_ns[i]);
    }
  }
  const double median = times.empty() ? NAN : stats::median(times);
  if (!(median > 0) || !std::isfinite(median)) return std::nullopt;
  return median;
}

std::optional<Throughput> work_rate(const Series& series, double call_ns) {
  if (!(call_ns > 0) || !std::isfinite(call_ns)) return std::nullopt;
  if (series.flop > 0) return Throughput{series.flop / (call_ns * 1e-9), "FLOP/s"};
  if (series.bytes_min > 0) return Throughput{series.bytes_min / (call_ns * 1e-9), "B/s"};
  return Throughput{1e9 / call_ns, "calls/s"};
}

void fill_quality(const Series* base, const Series* candidate, Decision* decision) {
  decision->quality_metric = "nmse";
  const QualityCheck* ours = candidate ? candidate->quality() : nullptr;
  const QualityCheck* theirs = base ? base->quality() : nullptr;
  if (!ours) return;
  for (const auto& [name, value] : ours->task) {  // a task metric says more than an error norm
    if (!theirs || !theirs->task.contains(name)) continue;
    decision->quality_metric = name;
    const double delta = value - theirs->task.at(name);
    if (std::isfinite(delta)) decision->quality_delta = delta;
    return;
  }
  if (ours->nmse_limit > 0) {
    decision->quality_limit = "NMSE ≤ " + format_scientific(ours->nmse_limit) + " against float64";
  }
  if (!theirs) return;
  const double delta = ours->nmse - theirs->nmse;
  if (std::isfinite(delta)) decision->quality_delta = delta;
}

std::vector<std::string> not_tested(const Run& run, const Comparison& comparison,
                                    const Series* candidate) {
  std::vector<std::string> list;
  if (!comparison.candidate_params.empty()) {
    list.push_back("other sizes and types than " + to_string(comparison.candidate_params));
  }
  if (comparison.cache == CacheMode::hot) list.push_back("cold caches");
  if (comparison.cache == CacheMode::cold) list.push_back("hot caches");
  const std::string machine = run.environment() ? run.environment()->machine() : "";
  list.push_back(machine.empty() ? "other machines; this one is not recorded"
                                 : "other machines than this " + machine);
  if (!candidate || !candidate->latency || !candidate->latency->p95_ns) {
    list.push_back("tail latency: there are too few latency samples for p95");
  }
  if (!candidate || !candidate->energy_j) list.push_back("energy per call");
  list.push_back("the whole application: the gain there depends on this part's share of it");
  return list;
}

/// A rung that is right only sometimes (a race) is wrong: a failed check anywhere in the run counts,
/// for the same source at the same parameters.
std::string earlier_failure(const Run& run, const Comparison& comparison, const Series* candidate) {
  for (const Series& series : run.series()) {
    if (series.kernel != comparison.candidate || series.params != comparison.candidate_params)
      continue;
    if (candidate && series.hash != candidate->hash) continue;
    const bool passed = std::all_of(series.checks.begin(), series.checks.end(),
                                    [](const QualityCheck& check) { return check.passed; });
    if (!passed) return quality_problem(series) + " (in another request of this run)";
  }
  return {};
}

std::string unresolved_reason(const Comparison& comparison) {
  std::string text = comparison.ci ? "the interval does not settle it"
                                   : "there are too few rounds for an interval";
  for (const std::string& reason : comparison.reasons) text += "; " + reason;
  if (comparison.rounds_needed > 0) {
    text += fmt::format("; about {} rounds, afresh, would", comparison.rounds_needed);
  }
  return text;
}

void decide_invalid(const Comparison& comparison, const std::string& candidate_problem,
                    const std::string& baseline_problem, Decision* decision) {
  decision->verdict = Verdict::invalid;
  if (candidate_problem.empty() && !baseline_problem.empty()) {
    decision->decision = "measure_more";
    decision->reason = "the baseline " + baseline_problem + ", so there is nothing to compare with";
    return;
  }
  decision->decision = "reject";
  if (!candidate_problem.empty()) {
    decision->reason = "the candidate " + candidate_problem;
  } else {
    decision->reason =
        comparison.reasons.empty() ? "the comparison is invalid" : comparison.reasons.front();
  }
}

void decide_by_verdict(const Comparison& comparison, const Series* candidate, Decision* decision) {
  decision->verdict = supported_verdict(comparison);
  switch (decision->verdict) {
    case Verdict::slower:
      decision->decision = "keep";
      decision->reason = "the candidate is slower";
      return;
    case Verdict::same:
      decision->decision = "keep";
      decision->reason = "there is no difference that counts";
      return;
    case Verdict::faster:
      if (!candidate || !candidate->quality_passed()) {
        decision->decision = "measure_more";
        decision->reason =
            "the run holds no check of the candidate's output; a speed without a "
            "check is no reason to adopt";
        return;
      }
      if (lacks_sustained(comparison)) {
        decision->decision = "measure_more";
        decision->reason =
            "both sides shared a clock that their load held down, so the ratio is one of cycles; "
            "how fast each is alone was not measured";
        return;
      }
      decision->decision = "adopt";
      decision->reason = "it is faster and its output passed every check";
      return;
    default:
      decision->decision = "measure_more";
      decision->reason = unresolved_reason(comparison);
  }
}

/// The two sides of a comparison as series: those of its own request, else the latest with the same
/// kernel and parameters; null where the run has none.
const Series* baseline_series(const Run& run, const Comparison& comparison) {
  return side_series(run, comparison.request, 0, comparison.baseline, comparison.baseline_params);
}

const Series* candidate_series(const Run& run, const Comparison& comparison) {
  return side_series(run, comparison.request, comparison.candidate_index, comparison.candidate,
                     comparison.candidate_params);
}

/// Alone where that was measured: of the rounds it is at a clock that the other side has a part in.
std::optional<Throughput> candidate_throughput(const Run& run, const Comparison& comparison,
                                               const Series& candidate) {
  if (comparison.sustained.size() == 2)
    return work_rate(candidate, comparison.sustained[1].call_ns);
  if (const auto throughput = throughput_of(candidate)) return throughput;
  const std::optional<double> round_ns = median_round_ns(run, comparison);
  return round_ns ? work_rate(candidate, *round_ns) : std::nullopt;
}

}  // namespace

std::optional<Throughput> throughput_of(const Series& series) {
  if (!quality_problem(series).empty()) return std::nullopt;
  if (series.items_per_s > 0 && std::isfinite(series.items_per_s)) {
    return Throughput{series.items_per_s, "items/s"};
  }
  if (!series.stats) return std::nullopt;
  return work_rate(series, series.stats->median_ns);
}

std::string quality_problem(const Series& series) {
  for (const QualityCheck& check : series.checks) {
    if (check.passed && !std::isfinite(check.nmse)) {
      return "failed its check: recorded as passed, but its error is not a number";
    }
    if (check.passed) continue;
    return "failed its check" + (check.reason.empty() ? "" : ": " + check.reason);
  }
  if (series.status == SeriesStatus::failed) {
    return "failed" + (series.reason.empty() ? "" : ": " + series.reason);
  }
  return {};
}

Decision decide(const Run& run, const Comparison& comparison, const Titles& titles) {
  Decision decision;
  const Series* base = baseline_series(run, comparison);
  const Series* candidate = candidate_series(run, comparison);
  decision.change = change_text(comparison, titles);
  decision.division = precision(base, comparison.baseline_params) ==
                              precision(candidate, comparison.candidate_params)
                          ? "closed"
                          : "open";
  fill_quality(base, candidate, &decision);
  decision.not_tested = not_tested(run, comparison, candidate);

  std::string candidate_problem = candidate ? quality_problem(*candidate) : "";
  if (candidate_problem.empty()) candidate_problem = earlier_failure(run, comparison, candidate);
  const std::string baseline_problem = base ? quality_problem(*base) : "";
  if (!candidate_problem.empty() || !baseline_problem.empty() ||
      comparison.verdict == Verdict::invalid) {
    decide_invalid(comparison, candidate_problem, baseline_problem, &decision);
  } else {
    decide_by_verdict(comparison, candidate, &decision);
  }
  if (candidate && candidate_problem.empty() && decision.verdict != Verdict::invalid) {
    decision.throughput = candidate_throughput(run, comparison, *candidate);
    if (candidate->latency) decision.p95_latency_ns = candidate->latency->p95_ns;
    if (decision.p95_latency_ns && !std::isfinite(*decision.p95_latency_ns)) {
      decision.p95_latency_ns.reset();
    }
  }
  return decision;
}

std::string fastest_side(const Run& run, int64_t request) {
  std::string fastest;
  double most = 1;
  for (const Comparison& one : run.comparisons()) {
    if (one.request != request) continue;
    if (one.verdict == Verdict::invalid || !(one.ratio > 0)) return "";
    if (fastest.empty()) fastest = one.baseline;
    if (one.ratio <= most) continue;
    most = one.ratio;
    fastest = one.candidate;
  }
  return fastest;
}

}  // namespace ridge
