#include "common/view/report/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/record/command.h"
#include "common/record/derive.h"
#include "common/record/edit.h"
#include "common/record/in_turns.h"
#include "common/record/params.h"
#include "common/record/processor_share.h"
#include "common/record/ratio_text.h"
#include "common/record/seed_delta.h"
#include "common/record/trained.h"
#include "common/stats/stats.h"

namespace ridge {
namespace {

std::string title_of(const std::string& kernel, const Titles& titles) {
  if (std::string command = command_title(kernel); !command.empty()) return command;
  const auto found = titles.find(kernel);
  return found == titles.end() ? kernel : found->second;
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
  if (comparison.trained) common.erase("seed");
  if (!common.empty()) text += " at " + to_string(common);
  if (comparison.trained) return text + ", " + seeds_text(comparison.trained->seeds);
  if (!comparison.cache.empty()) text += ", " + comparison.cache.text() + " cache";
  return text;
}

/// Times of one side in the rounds, for a comparison that has no series of its own.
std::optional<double> median_round_ns(const Run& run, const Comparison& comparison,
                                      bool candidate) {
  const int index = candidate ? comparison.candidate_index : comparison.baseline_index;
  std::vector<double> times;
  for (const Round& round : run.rounds(comparison.request)) {
    for (size_t i = 0; i < round.order.size() && i < round.t_ns.size(); ++i) {
      if (round.side(i) == index) times.push_back(round.t_ns[i]);
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

std::string class_of(const Run& run, const std::string& kernel) {
  const KernelInfo* info = run.kernel(std::string(original_of(kernel)));
  return info ? name_in_words(info->accuracy) : "";
}

/// What a result may differ in for another reason than its speed, and whether a target of quality allows for it.
void fill_division(const Run& run, const Comparison& comparison, const Series* base,
                   const Series* candidate, Decision* decision) {
  if (candidate && candidate->command) return;
  const auto differ = [&](const char* what, const std::string& theirs, const std::string& ours) {
    if (ours == theirs) return;
    const auto named = [](const std::string& text) { return text.empty() ? "not said" : text; };
    decision->division_reason += (decision->division_reason.empty() ? "" : ", ") +
                                 std::string(what) + " " + named(ours) + " instead of " +
                                 named(theirs);
  };
  differ("data type", precision(base, comparison.baseline_params),
         precision(candidate, comparison.candidate_params));
  const std::string theirs = class_of(run, comparison.baseline),
                    ours = class_of(run, comparison.candidate);
  if (!theirs.empty() && !ours.empty()) differ("class of accuracy", theirs, ours);
  int demanded = 0, met = 0;
  for (const BudgetRow& row : decision->budget) {
    demanded += row.is_quality;
    met += row.is_quality && row.met == Met::yes;
  }
  const bool has_target = demanded > 0 && met == demanded;
  decision->division = decision->division_reason.empty() || has_target ? "closed" : "open";
}

/// Of trainings: over the seeds.
void fill_accuracy(const TrainedPairs& pairs, Decision* decision) {
  decision->quality_metric = "accuracy";
  decision->quality_limit = may_lose_text(pairs) + ", by the interval's lower end";
  if (!pairs.accuracy_delta || !std::isfinite(*pairs.accuracy_delta)) return;
  decision->quality_delta = pairs.accuracy_delta;
  decision->quality_ci = pairs.accuracy_ci;
}

/// What both outputs of commands had to pass; empty: nothing.
std::string gate_of(const CommandFacts& command) {
  std::string text;
  if (!command.reference.empty()) text = "equal to " + one_line(command.reference, 80);
  if (!command.check.empty())
    text +=
        (text.empty() ? "" : ", and ") + std::string("accepted by ") + one_line(command.check, 80);
  return text;
}

void fill_quality(const Series* base, const Series* candidate, Decision* decision) {
  if (candidate && candidate->command) {
    decision->quality_metric = "output";
    const QualityCheck* check = candidate->quality();
    const bool is_library = own_sides(*candidate).one == "library";
    decision->quality_limit = is_library && check ? judge_of(*check) : gate_of(*candidate->command);
    return;
  }
  const QualityCheck* ours = candidate ? candidate->quality() : nullptr;
  if (candidate && candidate->kind == RungKind::pipeline) {
    decision->quality_metric = "items";
    if (ours) decision->quality_limit = ours->what;
    return;
  }
  decision->quality_metric = "nmse";
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
    const Params& params = comparison.candidate_params;
    list.push_back("other sizes and types than " +
                   to_string(comparison.trained ? without_seed(params) : params));
  }
  if (candidate && candidate->command)
    list.push_back("other inputs than those of these " + own_sides(*candidate).many);
  const bool is_pipeline = candidate && candidate->kind == RungKind::pipeline;
  if (is_pipeline) list.push_back("files that are not in memory yet");
  if (comparison.cache == CacheMode::hot && !comparison.trained && !is_pipeline)
    list.push_back("cold caches");
  if (comparison.cache == CacheMode::cold) list.push_back("hot caches");
  const std::string machine = run.environment() ? run.environment()->machine() : "";
  list.push_back(machine.empty() ? "other machines; this one is not recorded"
                                 : "other machines than this " + machine);
  const bool has_tail = candidate && candidate->latency && candidate->latency->p95_ns;
  if (!has_tail && !comparison.trained && !is_pipeline) {
    list.push_back("tail latency: there are too few latency samples for p95");
  }
  if (!candidate || !candidate->energy_j)
    list.push_back(comparison.trained ? "energy of an epoch"
                   : is_pipeline      ? "energy per item"
                                      : "energy per call");
  if (comparison.trained) {
    list.push_back("other data, and a test set that neither side was chosen by");
    return list;
  }
  list.push_back("the whole application: the gain there depends on this part's share of it");
  return list;
}

/// Of one of its kernel. Of trainings whatever their seed.
bool is_side(const Series& series, const Comparison& comparison, const Params& params) {
  if (!comparison.trained) return series.params == params;
  return series.params.contains("seed") && without_seed(series.params) == without_seed(params);
}

/// A rung that is right only sometimes (a race) is wrong: a failed check anywhere in the run counts,
/// for the same source at the same parameters; of a training with any seed.
std::string earlier_failure(const Run& run, const Comparison& comparison, const std::string& kernel,
                            const Params& params, const Series* known) {
  for (const Series* one : run.series_of_kernel(kernel)) {
    const Series& series = *one;
    const bool passed = std::all_of(series.checks.begin(), series.checks.end(),
                                    [](const QualityCheck& check) { return check.passed; });
    if (passed || !is_side(series, comparison, params)) continue;
    if (known && series.hash != known->hash) continue;
    return quality_problem(series) + (comparison.trained
                                          ? " (seed " + to_string(series.params.at("seed")) + ")"
                                          : " (in another request of this run)");
  }
  return {};
}

const char* pairs_word(const Comparison& comparison) {
  if (comparison.trained) return "seeds";
  return comparison.sustained.empty() ? "rounds" : "turns";
}

std::string unresolved_reason(const Comparison& comparison) {
  if (is_cancelled(comparison)) return "it was cancelled before enough rounds; compare again";
  std::string text = comparison.ci ? crossing_text(*comparison.ci, comparison.margin)
                                   : "there are too few " +
                                         std::string(comparison.trained ? "seeds" : "rounds") +
                                         " for an interval";
  for (const std::string& reason : own_reasons(comparison)) {
    if (!is_of_crossing(reason)) text += "; " + reason;
  }
  if (lies_at_margin(comparison)) {
    text += "; it lies at the margin, and more " + std::string(pairs_word(comparison)) +
            " will hardly settle it";
  } else if (is_out_of_reach(comparison)) {
    text += "; by their scatter it would take over " + std::to_string(kMostTimesAsMany) +
            " times as many " + pairs_word(comparison) + " to settle it";
  } else if (const auto more = more_rounds(comparison)) {
    text += "; " + more_rounds_text(*more) + " would settle it" +
            (more->shows == Verdict::unresolved ? "" : " as " + to_string(more->shows)) +
            ", in a new comparison";
  } else if (comparison.rounds_needed > 0) {
    text += "; about " + pairs_text(comparison, comparison.rounds_needed) +
            " would settle it, in a new comparison";
  } else if (!uneven_reason(comparison).empty()) {
    text += "; compare again while nothing else runs";
  } else if (comparison.ci && !comparison.trained) {
    text +=
        "; the ratio lies on the limit of \"same\", which no number of rounds settles: only "
        "another margin does";
  }
  return text;
}

void decide_invalid(const Comparison& comparison, const std::string& candidate_problem,
                    const std::string& baseline_problem, Decision* decision) {
  decision->verdict = Verdict::invalid;
  if (candidate_problem.empty() && !baseline_problem.empty()) {
    decision->decision = "measure_more";
    decision->is_baseline_wrong = true;
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

/// A faster training: what its accuracy lost decides.
void decide_by_accuracy(const TrainedPairs& pairs, Decision* decision) {
  const std::string lost =
      accuracy_delta_text(pairs) + ", and the limit is " + may_lose_text(pairs);
  decision->decision = "measure_more";
  switch (accuracy_stand(pairs)) {
    case AccuracyStand::kept:
      decision->decision = "adopt";
      decision->reason = "it is faster and keeps its accuracy: " + lost;
      return;
    case AccuracyStand::lost:
      decision->decision = "reject";
      decision->reason = "it is faster and loses accuracy: " + lost;
      return;
    case AccuracyStand::open:
      decision->reason = "it is faster, and whether it keeps its accuracy is open: " + lost;
      return;
    case AccuracyStand::few:
      decision->reason = fmt::format(
          "it is faster, but its accuracy was judged with {} of the {} seeds that a "
          "claim takes",
          pairs.judged, kSeedsToClaim);
      return;
    case AccuracyStand::unknown:
      decision->reason =
          "it is faster, but its accuracy is not known; a speed without it is no reason to adopt";
  }
}

/// Adopted so far: what was demanded beside the speed.
void decide_by_budget(Decision* decision) {
  const auto first = [&](auto wanted) {
    return std::find_if(decision->budget.begin(), decision->budget.end(), wanted);
  };
  const auto end = decision->budget.end();
  const auto missed = first([](const BudgetRow& row) { return row.met == Met::no; });
  const auto unsettled = first([](const BudgetRow& row) { return row.met != Met::yes; });
  if (missed != end) {
    decision->decision = "reject";
    decision->reason = "it is faster and does not meet its budget: " + missed->sentence();
  } else if (unsettled != end) {
    decision->decision = "measure_more";
    decision->reason =
        "it is faster, and whether it meets its budget is open: " + unsettled->sentence();
  } else if (!decision->budget.empty()) {
    decision->reason += ", and its budget is met";
  }
}

/// Of two that are not the same mathematics the speed is no reason by itself.
void say_division(Decision* decision) {
  if (decision->decision != "adopt" || decision->division_reason.empty()) return;
  decision->reason +=
      decision->division == "open"
          ? "; open division: " + decision->division_reason +
                ", and no quality target of a budget was set"
          : "; closed division, by its quality target: " + decision->division_reason;
}

/// Both sides took turns, so the load met both: the verdict stands, and how large the gain is on a quiet machine is open.
void say_reserve(const Comparison& comparison, Decision* decision) {
  constexpr std::string_view kContended = "contended: ";
  if (decision->decision != "adopt") return;
  for (const std::string& reason : comparison.reasons) {
    if (!reason.starts_with(kContended)) continue;
    decision->reserve = reason.substr(kContended.size());
    decision->reason +=
        "; " + decision->reserve + ", so measure the size of the gain again on a quiet machine";
    return;
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
        decision->is_unchecked = true;
        decision->reason =
            candidate && candidate->command
                ? "no output was checked, and a speed without a check is no reason to adopt: " +
                      std::string(own_sides(*candidate).one == "library"
                                      ? "give a side a reference or a check, or compare again with "
                                        "--check CMD"
                                      : "compare again with --check CMD or --reference FILE")
                : "the run holds no check of the candidate's output; a speed without a "
                  "check is no reason to adopt";
        return;
      }
      if (lacks_sustained(comparison)) {
        decision->decision = "measure_more";
        decision->lacks_sustained = true;
        decision->reason =
            "both sides shared a clock that their load held down, so the ratio is one of cycles; "
            "how fast each is alone was not measured";
        return;
      }
      decision->decision = "adopt";
      decision->reason = "it is faster and its output passed every check";
      if (comparison.trained) decide_by_accuracy(*comparison.trained, decision);
      if (decision->decision == "adopt") decide_by_budget(decision);
      say_division(decision);
      return say_reserve(comparison, decision);
    default:
      decision->decision = "measure_more";
      decision->is_at_margin = lies_at_margin(comparison) && !is_cancelled(comparison);
      decision->is_out_of_reach = is_out_of_reach(comparison) && !is_cancelled(comparison);
      decision->reason = unresolved_reason(comparison);
  }
}

}  // namespace

std::vector<std::string> own_reasons(const Comparison& comparison) {
  std::vector<std::string> own = comparison.reasons;
  std::erase_if(own, [&](const std::string& reason) {
    const std::string first = reason.substr(0, reason.find(' '));
    const bool is_kernel = std::count(first.begin(), first.end(), '.') == 2 && first.back() != '.';
    return is_kernel && first != comparison.candidate && first != comparison.baseline;
  });
  return own;
}

const Series* side_series(const Run& run, const Comparison& comparison, bool candidate) {
  const int index = candidate ? comparison.candidate_index : comparison.baseline_index;
  const std::string& kernel = candidate ? comparison.candidate : comparison.baseline;
  for (const Series* series : run.series_of_request(comparison.request)) {
    if (series->index == index && series->kernel == kernel) return series;
  }
  return run.latest(kernel, candidate ? comparison.candidate_params : comparison.baseline_params);
}

std::optional<SideSpeed> side_speed(const Run& run, const Comparison& comparison, bool candidate) {
  const Series* series = side_series(run, comparison, candidate);
  if (!series || !quality_problem(*series).empty()) return std::nullopt;
  const auto made = [](const std::optional<Throughput>& throughput, SideTiming timing) {
    return throughput ? std::optional(SideSpeed{*throughput, timing}) : std::nullopt;
  };
  if (comparison.sustained.size() == 2)
    return made(work_rate(*series, comparison.sustained[candidate ? 1 : 0].call_ns),
                SideTiming::alone);
  const auto own = throughput_of(*series);
  if (own && series->request == comparison.request) return made(own, SideTiming::in_turns);
  const std::optional<double> round_ns = median_round_ns(run, comparison, candidate);
  if (round_ns && (!own || own->unit != "items/s"))
    return made(work_rate(*series, *round_ns), SideTiming::in_turns);
  return made(own, is_in_turns(run, *series) ? SideTiming::with_another : SideTiming::alone);
}

std::optional<Throughput> throughput_of(const Series& series) {
  if (!quality_problem(series).empty()) return std::nullopt;
  if (series.items_per_s > 0 && std::isfinite(series.items_per_s)) {
    return Throughput{series.items_per_s, "items/s"};
  }
  if (!series.stats) return std::nullopt;
  return work_rate(series, series.stats->median_ns);
}

std::string unit_in_type(const std::string& unit, const Series& series) {
  return unit == "FLOP/s" ? rate_unit(dtype_of(series)) : unit;
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
  const Series* base = side_series(run, comparison, false);
  const Series* candidate = side_series(run, comparison, true);
  decision.change = change_text(comparison, titles);
  if (comparison.trained)
    fill_accuracy(*comparison.trained, &decision);
  else
    fill_quality(base, candidate, &decision);
  decision.not_tested = not_tested(run, comparison, candidate);

  std::string candidate_problem = candidate ? quality_problem(*candidate) : "";
  if (candidate_problem.empty()) {
    candidate_problem = earlier_failure(run, comparison, comparison.candidate,
                                        comparison.candidate_params, candidate);
  }
  std::string baseline_problem = base ? quality_problem(*base) : "";
  if (baseline_problem.empty() && comparison.trained) {
    baseline_problem =
        earlier_failure(run, comparison, comparison.baseline, comparison.baseline_params, base);
  }
  const bool is_valid = candidate_problem.empty() && baseline_problem.empty() &&
                        comparison.verdict != Verdict::invalid;
  decision.budget = judge_budget(comparison, base, candidate, is_valid);
  fill_division(run, comparison, base, candidate, &decision);
  if (!is_valid) {
    decide_invalid(comparison, candidate_problem, baseline_problem, &decision);
  } else {
    decide_by_verdict(comparison, candidate, &decision);
  }
  if (candidate && candidate_problem.empty() && decision.verdict != Verdict::invalid) {
    if (const auto speed = side_speed(run, comparison, true))
      decision.throughput = speed->throughput;
    if (candidate->latency) decision.p95_latency_ns = candidate->latency->p95_ns;
    if (decision.p95_latency_ns && !std::isfinite(*decision.p95_latency_ns)) {
      decision.p95_latency_ns.reset();
    }
  }
  return decision;
}

std::string decision_words(const Decision& decision) {
  const std::string reserve = decision.reserve.empty() ? "" : ", with a reserve";
  if (decision.decision == "adopt")
    return (decision.division == "open" ? "adopt in the open division" : "adopt") + reserve;
  if (decision.decision == "keep") return "keep the baseline";
  if (decision.is_baseline_wrong) return "mend the baseline first, or take another";
  if (decision.is_unchecked) return "check its output first";
  if (decision.lacks_sustained) return "measure it sustained";
  if (decision.is_at_margin) return "too close to the margin to settle";
  if (decision.is_out_of_reach)
    return fmt::format("over {} times the rounds needed", kMostTimesAsMany);
  return decision.decision == "measure_more" ? "measure more" : decision.decision;
}

std::string division_words(const Decision& decision) {
  if (decision.division_reason.empty()) return "yes";
  const char* target = decision.division == "closed"
                           ? ", and its quality target is met (closed division)"
                           : ", and no quality target is met (open division)";
  return "no: " + decision.division_reason + target;
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
