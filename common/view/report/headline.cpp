#include "common/view/report/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "common/core/format.h"
#include "common/record/accuracy.h"
#include "common/record/chain.h"
#include "common/record/clocks.h"
#include "common/record/edit.h"
#include "common/record/params.h"
#include "common/record/pipeline_model.h"
#include "common/record/processor_share.h"
#include "common/record/ratio_text.h"
#include "common/record/trained.h"
#include "common/record/trap.h"
#include "common/view/chart/climb.h"
#include "common/view/report/content.h"
#include "common/view/report/front.h"
#include "common/view/report/other_sizes.h"
#include "common/view/report/pair_order.h"

namespace ridge::report {

std::string verdict_figures(const std::string& verdict, const PairedVerdict& judged,
                            double margin) {
  return fmt::format("{}, {} {}", verdict, ratio_text(judged.ratio, judged.ci),
                     ratio_interval_text(judged.ci, margin));
}

namespace {

std::string rate_words(const Line& line, const Options& options) {
  const auto rate = rate_of(line);
  return rate ? format_rate(rate->value, unit_in_words(line, rate->unit, options))
              : unavailable("no usable time per call");
}

/// "naive: 0.120 GFLOP/s": in the unit of `beside`, so that two figures side by side can be compared at a look.
std::string named_rate(const Line& line, const Line& beside, const Options& options) {
  const auto rate = rate_of(line), other = rate_of(beside);
  const bool is_of_one_unit = rate && other && rate->unit == other->unit;
  const std::string unit = is_of_one_unit ? unit_in_words(line, rate->unit, options) : "";
  const SiPrefix prefix = si_prefix(is_of_one_unit ? other->value : 1);
  return title_of(line.series->kernel, options) + ": " +
         (is_of_one_unit ? format_number(rate->value / prefix.factor) + " " + prefixed(prefix, unit)
                         : rate_words(line, options)) +
         timed_words(line);
}

/// "the ceiling FMA fp32, 1 thread is in doubt": without the reason behind its colon.
std::string first_clause(const std::string& reason) {
  return reason.substr(0, reason.find(": "));
}

/// The appendix has the whole reason.
std::string ceiling_words(const Derived& derived) {
  if (derived.above_compute) return unavailable("above the measured ceiling");
  const Utilization* use = derived.is_compute_doubted ? nullptr : nearest_ceiling(derived);
  return use && std::isfinite(use->value) ? format_share(use->value) + " of " + use->name
                                          : unavailable(first_clause(no_ceiling_reason(derived)));
}

// ---- the headline of one comparison -----------------------------------------------------------------

const char* tone_of(const Claim& claim) {
  if (!claim.paired && claim.decision.verdict != Verdict::invalid) return "none";
  switch (claim.decision.verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::invalid:
      return "invalid";
    default:
      return "same";
  }
}

/// " at equal clock" of a ratio that is one of cycles: the figure is quoted without what stands beside it.
std::string cycles_words(const Comparison& c) {
  return lacks_sustained(c) ? of_clock(c) : "";
}

std::string claim_figure(const Claim& claim) {
  const std::string ratio = headline_ratio_text(claim.comparison);
  const std::string clock = cycles_words(claim.comparison);
  if (claim.decision.verdict == Verdict::invalid) return "✕ Invalid";
  if (!claim.paired) return "Not paired: no claim";
  switch (claim.decision.verdict) {
    case Verdict::faster:
      return "▲ " + ratio + " as fast" + clock;
    case Verdict::slower:
      return "▼ " + ratio + " as fast" + clock;
    case Verdict::same:
      return "= Same";
    default:
      return is_cancelled(claim.comparison) ? "Cancelled" : "? Unresolved";
  }
}

std::string resting(const Comparison& c) {
  return fmt::format("95 % interval {} · {}{} · margin {}", ratio_interval_text(c.ci, c.margin),
                     rests_on(c), lacks_sustained(c) ? std::string(", ") + kNotSustained : "",
                     format_percent_width(c.margin));
}

/// Beside a sustained verdict, " · at equal clock faster, 1.020× [1.016, 1.023]"; else nothing.
std::string at_equal_clock_words(const Claim& claim) {
  const Comparison& c = claim.comparison;
  if (!c.equal_clock || claim.decision.verdict == Verdict::invalid) return "";
  return " · at equal clock " +
         verdict_figures(to_string(c.equal_clock->verdict), *c.equal_clock, c.margin);
}

/// Where a held clock leaves two verdicts both, the one that counts first; else nothing.
void add_clock_facts(const Claim& claim, Headline* headline) {
  const Comparison& c = claim.comparison;
  if (!c.equal_clock || claim.decision.verdict == Verdict::invalid) return;
  headline->facts.emplace_back("Sustained",
                               verdict_figures(to_string(claim.decision.verdict), c, c.margin));
  headline->facts.emplace_back("At equal clock", verdict_figures(to_string(c.equal_clock->verdict),
                                                                 *c.equal_clock, c.margin));
}

/// "18.5 ms → 13.1 ms"
std::string old_to_new(const std::optional<double>& before, const std::optional<double>& after,
                       std::string (*form)(double), const char* without) {
  return before && after ? form(*before) + " → " + form(*after) : unavailable(without);
}

std::string seconds_text(double s) {
  return format_time_ns(s * 1e9);
}

/// Two trainings: the times, and the accuracy that the decision rests on.
void add_training_facts(const TrainedPairs& pairs, Headline* headline) {
  const auto fact = [&](const char* name, const std::string& value) {
    headline->facts.emplace_back(name, value);
  };
  if (pairs.sides.size() != 2) return;
  const TrainedSide &theirs = pairs.sides[0], &ours = pairs.sides[1];
  const auto step = [](const TrainedSide& side) {
    return side.step_ns > 0 ? std::optional(side.step_ns) : std::nullopt;
  };
  fact("A step", old_to_new(step(theirs), step(ours), format_time_ns, "no step was timed"));
  fact("A training", old_to_new(theirs.total_s, ours.total_s, seconds_text,
                                "a limit ended the trainings before their last step"));
  fact("Accuracy", pairs.accuracy_delta ? accuracy_delta_text(pairs)
                                        : unavailable("no pair was judged to the end"));
  fact("Accuracy limit", may_lose_text(pairs) + ", by the interval's lower end");
  if (!pairs.target) return;
  fact("Time to the accuracy",
       pairs.to_target
           ? fmt::format("{} {}, {}", ratio_text(pairs.to_target->ratio, pairs.to_target->ci),
                         ratio_interval_text(pairs.to_target->ci, 0),
                         to_string(pairs.to_target->verdict))
           : unavailable(pairs.no_to_target));
}

/// The candidate where it is a command; null where it is a rung.
const Series* command_side(const Claim& claim) {
  const Comparison& c = claim.comparison;
  for (const Series* series : claim.run->series_of_request(c.request)) {
    const bool is_it = series->index == c.candidate_index && series->kernel == c.candidate &&
                       series->command;
    if (is_it) return series;
  }
  return nullptr;
}

void add_command_facts(const Series& candidate, const Decision& decision, Headline* headline) {
  const auto& cpu_ns = candidate.command->cpu_ns;
  headline->facts.emplace_back("CPU time of the candidate", cpu_ns && std::isfinite(*cpu_ns)
                                                                ? format_time_ns(*cpu_ns)
                                                                : unavailable("no call was timed"));
  headline->facts.emplace_back("Peak memory of the candidate",
                               candidate.memory_bytes > 0 && std::isfinite(candidate.memory_bytes)
                                   ? format_bytes(candidate.memory_bytes)
                                   : unavailable("less than what a new process here begins with"));
  headline->facts.emplace_back(
      "What was checked",
      decision.quality_limit.empty()
          ? unavailable("neither a check nor a reference was given")
          : "the output of both, before and after timing: " + decision.quality_limit);
}

/// Pipelines: what binds each side, and what was checked.
void add_pipeline_facts(const Claim& claim, Headline* headline) {
  for (const bool is_candidate : {false, true}) {
    const Series* side = side_series(*claim.run, claim.comparison, is_candidate);
    headline->facts.emplace_back(
        is_candidate ? "What binds the candidate" : "What binds the baseline",
        side && side->pipeline ? bound_text(*side->pipeline)
                               : unavailable("its stages do not run alone"));
  }
  const std::string& limit = claim.decision.quality_limit;
  headline->facts.emplace_back("What was checked",
                               limit.empty() ? unavailable("no check is recorded") : limit);
}

/// "0.795 → 69.5 GFLOP/s": both in the unit of the larger.
std::string old_to_new_rate(const Throughput& before, const Throughput& after,
                            const std::string& unit) {
  const SiPrefix prefix = si_prefix(std::max(before.value, after.value));
  return format_number(before.value / prefix.factor) + " → " +
         format_number(after.value / prefix.factor) + " " + prefixed(prefix, unit);
}

/// How the speeds of one side, or of both, came about.
std::string timing_words(SideTiming baseline, SideTiming candidate, bool are_both) {
  if (baseline != candidate || candidate == SideTiming::with_another) return ", timed apart";
  if (candidate == SideTiming::in_turns) return ", in turns";
  return are_both ? ", each alone" : ", alone";
}

/// Of the baseline and the candidate where both have one, else of the candidate.
std::string speeds_of(const Claim& claim) {
  const auto after = side_speed(*claim.run, claim.comparison, true);
  if (!after || !std::isfinite(after->throughput.value))
    return unavailable("no usable time per call");
  const Throughput& theirs = after->throughput;
  const auto before = side_speed(*claim.run, claim.comparison, false);
  const auto unit_of = [&](const SideSpeed& speed, bool is_candidate) {
    const Series* side = side_series(*claim.run, claim.comparison, is_candidate);
    return unit_in_type(speed.throughput.unit, *side);  // a side with a speed has a series
  };
  const std::string unit = unit_of(*after, true);
  const bool are_alike = before && unit_of(*before, false) == unit && before->throughput.value > 0;
  if (!are_alike)
    return "candidate " + format_rate(theirs.value, unit) +
           timing_words(after->timing, after->timing, false);
  return old_to_new_rate(before->throughput, theirs, unit) +
         timing_words(before->timing, after->timing, true);
}

/// "18.5 ms → 13.1 ms, of single calls: the verdict rests on 40 rounds": the two need not agree.
std::string tail_words(const Claim& claim, const Series* baseline_side) {
  const std::optional<double>& ours_ns = claim.decision.p95_latency_ns;
  const std::optional<double> theirs_ns =
      baseline_side && baseline_side->latency ? baseline_side->latency->p95_ns : std::nullopt;
  const std::string text =
      old_to_new(theirs_ns, ours_ns, format_time_ns,
                 ours_ns || theirs_ns ? "one side has too few latency samples, needs 59"
                                      : "too few latency samples, needs 59");
  return ours_ns && theirs_ns
             ? text + ", of single calls: the verdict rests on " + rests_on(claim.comparison)
             : text;
}

Headline claim_headline(const Claim& claim) {
  const Decision& decision = claim.decision;
  const bool invalid = decision.verdict == Verdict::invalid;
  Headline headline{.figure = claim_figure(claim),
                    .tone = tone_of(claim),
                    .decision = capitalised(decision_words(decision))};
  if (!claim.paired) return headline;
  if (!invalid) headline.interval = resting(claim.comparison);
  if (!last_save_words(claim).empty()) {
    headline.figure += ", an earlier save";
    headline.decision.clear();  // there is no such text to adopt
  }
  if (claim.comparison.trained) {
    add_training_facts(*claim.comparison.trained, &headline);
    headline.facts.emplace_back("Same mathematics", division_words(decision));
    return headline;
  }
  const std::string why = invalid ? unavailable("a failed check leaves no speed") : "";
  const auto fact = [&](const char* name, const std::string& value) {
    headline.facts.emplace_back(name, value);
  };
  add_clock_facts(claim, &headline);
  const Series* candidate_side = side_series(*claim.run, claim.comparison, true);
  const Series* baseline_side = side_series(*claim.run, claim.comparison, false);
  fact("Speed", invalid ? why : speeds_of(claim));
  if (candidate_side && candidate_side->kind == RungKind::pipeline) {
    add_pipeline_facts(claim, &headline);
    fact("Same mathematics", division_words(decision));
    return headline;
  }
  // A learner's copy is not asked for its tail, and it is the same mathematics.
  const bool is_own_copy = is_edit(claim.comparison.candidate);
  if (!is_own_copy) fact("p95 latency", invalid ? why : tail_words(claim, baseline_side));
  if (const Series* candidate = command_side(claim)) {
    add_command_facts(*candidate, decision, &headline);
    return headline;
  }
  const bool is_error = decision.quality_metric == "nmse";
  fact(is_error ? "Error added" : "Quality added",
       !decision.quality_delta ? unavailable("one side has no check")
       : is_error && *decision.quality_delta <= 0
           ? "none"
           : format_scientific(*decision.quality_delta) +
                 (is_error ? "" : " " + decision.quality_metric));
  fact(is_error ? "Error allowed" : "Quality limit",
       decision.quality_limit.empty() ? unavailable("none is recorded") : decision.quality_limit);
  if (!is_own_copy || !decision.division_reason.empty())
    fact("Same mathematics", division_words(decision));
  return headline;
}

// ---- the headline of a ladder ------------------------------------------------------------------------

/// Which of a GPU's units it computes on, by its counters; empty: they were not read.
std::string units_of(const Series& series) {
  const auto share = [&](const char* pipe) {
    const auto found =
        std::find_if(series.counters.begin(), series.counters.end(),
                     [&](const Counter& counter) { return counter.name.starts_with(pipe); });
    return found == series.counters.end() ? std::optional<double>() : found->value;
  };
  const auto tensor = share("sm__pipe_tensor_cycles_active"),
             fma = share("sm__pipe_fma_cycles_active");
  if (!tensor || !fma) return "";
  return *tensor > *fma ? "Tensor Cores" : "FMA units";
}

/// Where the fastest rung and the library reach one result in unlike ways: "“3xTF32” computes on Tensor Cores, “cuBLAS” on FMA
/// units."
std::string unlike_words(const Line& ours, const Line& library, const Options& options) {
  const auto class_of = [](const Line& line) {
    const KernelInfo* info = line.input->run->kernel(line.series->kernel);
    return info ? value_named<Accuracy>(info->accuracy) : std::nullopt;
  };
  const std::string mine = quoted_title(ours, options), theirs = quoted_title(library, options);
  const auto class_mine = class_of(ours), class_theirs = class_of(library);
  std::string text;
  if (class_mine && class_theirs && class_mine != class_theirs)
    text = "They are not equally accurate: " +
           accuracy_difference(mine, *class_mine, theirs, *class_theirs) + ".";
  const std::string units_mine = units_of(*ours.series), units_theirs = units_of(*library.series);
  if (!units_mine.empty() && !units_theirs.empty() && units_mine != units_theirs)
    text += fmt::format("{}{} computes on {}, {} on {}.", text.empty() ? "" : " ", mine, units_mine,
                        theirs, units_theirs);
  else if (ours.on_page_1.above_compute && !library.on_page_1.above_compute)
    text +=
        fmt::format("{}{} is above the ceiling of the units that {} computes on: it uses others.",
                    text.empty() ? "" : " ", mine, theirs);
  return text;
}

/// The two of them by the comparison that there is: "0.956× as fast, 95 % interval [0.952, 0.959], 40 rounds: slower".
std::string beside_words(const Material& material, const Line& library, const Line& best) {
  const Options& options = *material.options;
  if (const Claim* pair = pair_of(material, library, best)) {
    const bool is_library_candidate = pair->comparison.candidate == library.series->kernel;
    const std::string repeats = repeats_words(material, *pair);
    return (is_library_candidate ? title_of(library.series->kernel, options) + " is " : "") +
           step_words({.ratio = pair->comparison.ratio, .claim = pair}) +
           (repeats.empty() ? "" : "; " + repeats);
  }
  if (const auto step = step_between(material, library, best)) return step_words(*step);
  if (is_refused(material, library, best)) return "no ratio, not judged";
  const std::string apart = apart_words(library, best);
  return apart.empty() ? unavailable("it has no usable time per call")
                       : "no ratio, the two are of two runs, " + apart;
}

/// The fastest rung against the fastest library; where just these two were not compared in pairs, first against the library
/// with which it was. Last, where the two reach one result in unlike ways, how.
std::vector<std::string> library_sentences(const Material& material, const Climb& climb) {
  const Options& options = *material.options;
  const Line &library = *climb.library, &best = *climb.best;
  std::vector<std::string> sentences;
  const Line* paired = climb.paired_library;
  if (paired && paired != &library)
    sentences.push_back(fmt::format("Against {}, in pairs: {}.", quoted_title(*paired, options),
                                    beside_words(material, *paired, best)));
  sentences.push_back(fmt::format("Against {}, the fastest library in this type: {}.",
                                  quoted_title(library, options),
                                  beside_words(material, library, best)));
  sentences.push_back(unlike_words(best, library, options));
  return sentences;
}

/// What the check of a rung measured: the task metric, else the error with its limit.
std::string check_words(const Line& line, const std::string& metric) {
  const QualityCheck* check = line.series->quality();
  if (!check) return unavailable("no check in this run");
  const auto task = check->task.find(metric);
  if (task != check->task.end() && std::isfinite(task->second)) {
    const auto mean = mean_over_seeds(line, metric);
    return name_in_words(metric) + " " + format_number(mean ? mean->mean : task->second, 4) +
           (mean ? ", " + seed_mean_text(mean->seeds) : "");
  }
  if (!(check->nmse_limit > 0)) return "exact";
  return "passed: error " + format_scientific(check->nmse) + " of " +
         format_scientific(check->nmse_limit) + " allowed";
}

/// Traps have no speed: of them the one that is furthest off, as far as its interval tells.
const Line* worst_trap(const Climb& climb) {
  const Line* worst = nullptr;
  double most = 0;
  for (const Line* line : climb.lines) {
    if (!line->problem.empty() || !line->series->trap) continue;
    const TrapOutcome& trap = *line->series->trap;
    const double off = trap.factor > 0 ? std::abs(std::log(trap.factor)) : 0;
    if ((trap.bias != "high" && trap.bias != "low") || !(off > most)) continue;
    worst = line;
    most = off;
  }
  return worst;
}

/// "0.120 → 71.8 GFLOP/s": both in one unit.
std::string rates_words(const Line& from, const Line& to, const Options& options) {
  const auto low = rate_of(from), high = rate_of(to);
  if (!low || !high || low->unit != high->unit)
    return rate_words(from, options) + " → " + rate_words(to, options);
  return old_to_new_rate(*low, *high, unit_in_words(to, high->unit, options));
}

/// What makes the factor of the climb rough, a sentence; empty: nothing. What the page says of the machine elsewhere comes
/// from the same flag.
std::string rough_sentence(const Climb& climb, const Options& options) {
  std::string why;
  for (const Line* line : {climb.first, climb.best}) {
    const std::string words = rough_words(*line->series->stats);
    if (!words.empty())
      why += (why.empty() ? "" : "; ") + quoted_title(*line, options) + ": " + words;
  }
  if (!why.empty()) return " That factor is rough (" + why + ").";
  const std::string disturbed =
      disturbance_words(*climb.first->series->stats, *climb.best->series->stats);
  return disturbed.empty() ? "" : " That factor is rough: " + disturbed + ".";
}

/// Whether the comparison is of the first rung and the fastest: the way that was climbed.
bool is_of_way(const Climb& climb, const Claim& claim) {
  return claim.comparison.baseline == climb.first->series->kernel &&
         claim.comparison.candidate == climb.best->series->kernel;
}

/// What leads page 1; null: no comparison does.
const Claim* lead_of(const Material& material, const Climb& climb) {
  return climb.best ? leading_claim(material, climb) : nullptr;
}

/// "1.84 GHz → 1.36 GHz": the clocks of both alone, where they explain that the quotient of their times is another one than
/// their ratio in pairs; else empty.
std::string clocks_words(const Climb& climb, const Step& way) {
  constexpr double kApart = 1.05, kClear = 1.02;
  const auto low = rate_of(*climb.first), high = rate_of(*climb.best);
  const auto first_hz = climb.first->series->sm_clock_hz, best_hz = climb.best->series->sm_clock_hz;
  if (!low || !high || !first_hz || !best_hz || !(*first_hz > 0)) return "";
  const double alone = high->value / low->value, clock = *best_hz / *first_hz;
  const bool is_less = alone * kApart < way.ratio && clock * kClear < 1;
  const bool is_more = alone > way.ratio * kApart && clock > kClear;
  if (!is_less && !is_more) return "";
  return format_quantity(*first_hz, "Hz") + " → " + format_quantity(*best_hz, "Hz");
}

/// ", each timed alone. The product of its 8 steps in pairs is 8.90×; alone each rung has its own clock: ..."
std::string chained_sentence(const Climb& climb, const Step& way) {
  const std::string clocks = clocks_words(climb, way);
  return fmt::format(", each timed alone. The product of its {} steps in pairs{} is {}{}.",
                     way.chain->pairs, unsettled_words(*way.chain), way.text,
                     clocks.empty() ? "" : "; alone each rung has its own clock: " + clocks);
}

/// From the first rung to the fastest. `with_factor`: the headline does not have it.
std::string way_sentence(const Material& material, const Climb& climb, bool with_factor) {
  const Options& options = *material.options;
  const auto step = way_of(material, climb);
  const std::string text = fmt::format("{} → {}: {}", quoted_title(*climb.first, options),
                                       quoted_title(*climb.best, options),
                                       rates_words(*climb.first, *climb.best, options));
  if (step && step->claim) return text + ", " + step_words(*step) + ".";
  if (step && step->chain) return text + chained_sentence(climb, *step);
  if (step)
    return text + (with_factor ? ", " + step->text + " as fast" : "") +
           (step->is_alone ? ", each timed alone." : ", timed apart.") +
           rough_sentence(climb, options);
  if (is_refused(material, *climb.first, *climb.best))
    return text + "; no ratio is made of them: their comparison is not valid.";
  if (is_unsettled_way(material, climb))
    return text +
           ", each timed alone. Compared in pairs, every step between them is unresolved: no "
           "factor is claimed.";
  const std::string apart = apart_words(*climb.first, *climb.best);
  return text + (apart.empty() ? "." : ". They are of two runs, " + apart + ": no ratio is made.");
}

/// Where the fastest bar is not the fastest rung: " “overlapped store” has the highest speed alone; in pairs “ping-pong” is
/// faster, and the pairs count."
std::string alone_sentence(const Climb& climb, const Options& options) {
  if (!climb.best || climb.best == climb.fastest_alone) return "";
  return fmt::format(
      "{} has the highest speed alone, {}; in pairs {} is faster, and the pairs count.",
      quoted_title(*climb.fastest_alone, options), rate_words(*climb.fastest_alone, options),
      quoted_title(*climb.best, options));
}

/// What is no step from the first rung has no factor; where its bar is longer than all that are, the page says so.
std::string longer_bar_sentence(const Climb& climb, const Options& options) {
  if (!climb.longer_bar) return "";
  const Line& line = *climb.longer_bar;
  return fmt::format("{} has a higher speed, {}{}; it is {}.", quoted_title(line, options),
                     rate_words(line, options), line.in_turns ? timed_words(line) : ", timed alone",
                     climb.is_longer_bar_no_step
                         ? "no step at these parameters, since it " + why_no_step(line, options)
                         : "of another ladder of this lab");
}

/// The same of the libraries.
std::string library_alone_sentence(const Material& material, const Climb& climb) {
  const Options& options = *material.options;
  if (!climb.library || climb.library == climb.fastest_library_alone) return "";
  const Line &library = *climb.library, &alone = *climb.fastest_library_alone;
  if (are_level(material, library, alone))
    return fmt::format("{} has {} alone; {} {}.", quoted_title(alone, options),
                       rate_words(alone, options),
                       run_same_kernel(library, alone) ? "it runs the same kernel as"
                                                       : "in pairs it is the same as",
                       quoted_title(library, options));
  return fmt::format(
      "Of the libraries {} has the highest speed alone, {}; in pairs {} is faster, and the pairs "
      "count.",
      quoted_title(*climb.fastest_library_alone, options),
      rate_words(*climb.fastest_library_alone, options), quoted_title(*climb.library, options));
}

/// The comparison that leads, the way that was climbed, and the library, in the headline's order.
std::vector<std::string> ladder_sentences(const Material& material, const Climb& climb) {
  const Options& options = *material.options;
  const Claim* lead = lead_of(material, climb);
  const bool has_way = climb.best != climb.first;
  const std::string way =
      has_way ? way_sentence(material, climb, lead && !is_of_way(climb, *lead))
              : fmt::format("{} runs at {}{}.", quoted_title(*climb.best, options),
                            rate_words(*climb.best, options), timed_words(*climb.best));
  const std::vector<std::string> library =
      climb.library ? library_sentences(material, climb) : std::vector<std::string>();
  std::vector<std::string> sentences;
  const auto add = [&](const std::string& sentence) { sentences.push_back(sentence); };
  const auto add_library = [&] {
    sentences.insert(sentences.end(), library.begin(), library.end());
  };
  const bool library_leads =
      lead && climb.paired_library && lead == pair_of(material, *climb.paired_library, *climb.best);
  if (library_leads) add_library();
  if (lead && !library_leads && !is_of_way(climb, *lead))
    add(fmt::format("{}, in pairs: {}.", sides_words(*lead, options),
                    step_words({.ratio = lead->comparison.ratio, .claim = lead})));
  const bool way_leads = lead && is_of_way(climb, *lead);
  const Claim* sized =  // whose other sizes are told: a climb that leads is none
      lead || !climb.paired_library ? lead : pair_of(material, *climb.paired_library, *climb.best);
  const std::string sizes = sized ? other_sizes_sentence(material, *sized) : "";
  if (lead && !way_leads) add(sizes);
  add(way);
  if (way_leads) add(sizes);
  add(alone_sentence(climb, options));
  add(longer_bar_sentence(climb, options));
  if (!library_leads) add_library();
  if (!lead) add(sizes);
  add(library_alone_sentence(material, climb));
  return sentences;
}

/// "12 of 13 rungs passed their checks", and how many of those have no speed that can be believed. Where page 1 leaves
/// rungs out, the count is of those that it shows.
std::string checks_sentence(const Climb& climb) {
  size_t passed = 0, without_speed = 0;
  for (const Line* line : climb.lines) {
    const QualityCheck* check = line->series->quality();
    const bool is_right = line->problem.empty() || (check && check->passed);
    passed += is_right;
    without_speed += is_right && !line->problem.empty();
  }
  std::string text = fmt::format("{} of {} rungs{} passed their checks{}", passed,
                                 climb.lines.size(), !climb.left_out.empty() ? " on this page" : "",
                                 climb.where.empty() ? "" : " at " + climb.where);
  if (without_speed > 0)
    text += without_speed == 1
                ? "; one of them has no speed that can be used"
                : fmt::format("; {} of them have no speed that can be used", without_speed);
  return text + ".";
}

/// By its name where the chart begins with another.
std::string first_words(const Material& material, const Climb& climb) {
  if (climb.first && climb.first != climb.lines.front())
    return title_of(climb.first->series->kernel, *material.options);
  return material.lab == kImportedLab ? "the first benchmark" : "the first rung";
}

/// Where the sign alone does not say what came out: "? unresolved, 1.02×", "= the same, 1.00×".
std::string step_in_words(const chart::ClimbStep& step) {
  const std::string text = chart::step_text(step);
  if (step.verdict == Verdict::unresolved && text.starts_with("? "))
    return "? unresolved, " + text.substr(2);
  return step.verdict == Verdict::same && text.starts_with("= ") ? "= the same, " + text.substr(2)
                                                                 : text;
}

/// "ping-pong: ▼ 0.956× as fast as cuBLASLt"; of cycles "... as fast as cuBLASLt at equal clock"
std::string leading_figure(const Material& material, const Climb& climb, const Claim& claim) {
  const Comparison& c = claim.comparison;
  const std::string other = is_of_way(climb, claim) ? first_words(material, climb)
                                                    : title_of(c.baseline, *material.options);
  if (claim.decision.verdict == Verdict::same)
    return title_of(c.candidate, *material.options) + ": as fast as " + other + cycles_words(c) +
           ", within the margin";
  const chart::ClimbStep step{
      .ratio = c.ratio, .verdict = claim.decision.verdict, .interval = c.ci};
  return title_of(c.candidate, *material.options) + ": " + step_in_words(step) + " as fast as " +
         other + cycles_words(c);
}

/// Beside the factor of a climb how its end compares with a library, so that a long way hides no lost race: "▼ 0.956× as fast
/// as cuBLASLt"; empty: the two were not compared in pairs, or it won, which the sentence says.
std::string beside_library(const Material& material, const Climb& climb) {
  const Claim* pair =
      climb.paired_library ? pair_of(material, *climb.paired_library, *climb.best) : nullptr;
  const bool is_told = pair && pair->comparison.candidate == climb.best->series->kernel &&
                       pair->decision.verdict != Verdict::invalid &&
                       pair->decision.verdict != Verdict::faster;
  if (!is_told) return "";
  const std::string figure = leading_figure(material, climb, *pair);
  return figure.substr(title_of(pair->comparison.candidate, *material.options).size() + 2);
}

/// "Speeds are medians over seeds 1 to 8; what was checked is of seed 1.", or "The ladder shows seed 1; the appendix has
/// seeds 1 to 8."; empty: nothing has a seed.
std::string seeds_sentence(const Material& material, const Climb& climb) {
  const auto seeds_of = [](const auto& lines, const auto& line_of) {
    std::set<int64_t> seeds;
    for (const auto& one : lines) {
      const Series& series = *line_of(one).series;
      if (series.params.contains("seed")) seeds.insert(param_int(series.params, "seed"));
    }
    return std::vector<int64_t>(seeds.begin(), seeds.end());
  };
  const auto all = seeds_of(material.lines, [](const Line& line) -> const Line& { return line; });
  const auto shown = seeds_of(climb.lines, [](const Line* line) -> const Line& { return *line; });
  if (shown.empty()) return "";
  if (all == shown) return "The results are of " + seeds_text(shown) + ".";
  if (has_medians_over_seeds(climb)) {
    const std::string task = task_metric_of(material);
    return "Speeds are medians over " + seeds_text(all) +
           (task.empty()
                ? "; what was checked is of "
                : ", " + name_in_words(task) + " a mean over them; every other check is of ") +
           seeds_text(shown) + ".";
  }
  return "The ladder shows " + seeds_text(shown) + "; the appendix has " + seeds_text(all) + ".";
}

/// What the fastest rung is called: of all rungs only where no other bar of ours is longer.
std::string fastest_name(const Climb& climb) {
  if (climb.longer_bar)
    return climb.is_longer_bar_no_step ? "Fastest step" : "Fastest of this ladder";
  return climb.best == climb.fastest_alone ? "Fastest verified rung" : "Fastest rung";
}

/// The fastest rung and library; where pairs decide which, or another bar is no step, beside the one whose bar is the longest.
void add_fastest_facts(const Climb& climb, const Options& options, Headline* headline) {
  const Line& best = *climb.best;
  const auto add = [&](const std::string& what, const Line& fastest, const Line& alone,
                       const Line& longest) {
    std::string rate = named_rate(fastest, best, options);
    if (&longest == climb.longer_bar)  // a sentence has its speed
      rate += "; longest bar: " + title_of(longest.series->kernel, options);
    else if (&fastest != &longest)
      rate += "; longest bar: " + named_rate(longest, best, options);
    headline->facts.emplace_back(what + (&fastest == &alone ? "" : " in pairs"), rate);
  };
  add(fastest_name(climb), best, *climb.fastest_alone,
      climb.longer_bar ? *climb.longer_bar : *climb.fastest_alone);
  if (climb.library)
    add("Fastest library", *climb.library, *climb.fastest_library_alone,
        *climb.fastest_library_alone);
  else
    headline->facts.emplace_back("Fastest library",
                                 unavailable("none has a verified speed in this type"));
}

Headline climb_headline(const Material& material, const Climb& climb) {
  const Options& options = *material.options;
  Headline headline;
  if (const Line* trap = worst_trap(climb)) {
    headline.figure = bias_text(*trap->series->trap);
    headline.facts = {{"The largest lie", title_of(trap->series->kernel, options)},
                      {"Its guard", trap->series->trap->guard}};
    return headline;
  }
  if (!climb.best) {
    headline.figure =
        is_cut_by_cancel(material) ? "Cancelled: no verified speed" : "No verified speed";
    return headline;
  }
  const auto fact = [&](const char* name, const std::string& value) {
    headline.facts.emplace_back(name, value);
  };
  if (const Claim* lead = lead_of(material, climb)) {
    headline.figure = leading_figure(material, climb, *lead);
    headline.tone = tone_of(*lead);
    headline.interval = resting(lead->comparison) + at_equal_clock_words(*lead);
  } else if (const auto step = climb.best == climb.first ? std::nullopt : way_of(material, climb)) {
    headline.figure = step->text + " as fast as " + first_words(material, climb);
    if (step->chain) headline.interval = chain_words(*step->chain);
    if (climb.best->over_seeds)
      headline.interval = fmt::format("median of {} seeds", climb.best->over_seeds->seeds);
    if (const std::string library = beside_library(material, climb); !library.empty())
      headline.interval += (headline.interval.empty() ? "" : " · ") + library;
  } else {
    headline.figure = rate_words(*climb.best, options);
  }
  if (climb.best != climb.first)
    fact(material.lab == kImportedLab ? "First benchmark" : "First rung",
         named_rate(*climb.first, *climb.best, options));
  if (material.lab == kImportedLab) {
    fact("Fastest benchmark", named_rate(*climb.best, *climb.best, options));
    fact("Checked", unavailable("another program timed it"));
    return headline;
  }
  add_fastest_facts(climb, options, &headline);
  fact(climb.best->series->pipeline ? "Share of its bound" : "Share of the ceiling",
       ceiling_words(climb.best->on_page_1));
  fact("Its check", check_words(*climb.best, options.quality_metric));
  return headline;
}

}  // namespace

Headline headline_of(const Material& material, const Climb& climb) {
  return material.is_of_pair ? claim_headline(material.claims.back())
                             : climb_headline(material, climb);
}

std::vector<std::string> climb_sentences(const Material& material, const Climb& climb) {
  const Options& options = *material.options;
  std::vector<std::string> sentences;
  const auto add = [&](const std::string& sentence) { sentences.push_back(sentence); };
  if (const Line* trap = worst_trap(climb))
    add(fmt::format("The largest lie is {}: it reads {}.", quoted_title(*trap, options),
                    bias_text(*trap->series->trap)));
  else if (climb.best)
    sentences = ladder_sentences(material, climb);
  else if (is_cut_by_cancel(material))
    add("The run was cancelled before a rung had a speed.");
  add(material.lab == kImportedLab
          ? fmt::format("{} benchmark{} of another program; nothing was checked.",
                        climb.lines.size(), climb.lines.size() == 1 ? "" : "s")
          : checks_sentence(climb));
  add(seeds_sentence(material, climb));
  if (material.claims.empty() && !climb.unit.empty())
    add("No two rungs were compared in pairs, so no verdict is given: small differences may be the "
        "machine's.");
  std::erase(sentences, "");
  return sentences;
}

}  // namespace ridge::report
