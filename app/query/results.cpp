#include "app/query/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/record/accuracy.h"
#include "common/record/caution.h"
#include "common/record/clocks.h"
#include "common/record/command.h"
#include "common/record/compute_unit.h"
#include "common/record/derive.h"
#include "common/record/far_rounds.h"
#include "common/record/note_text.h"
#include "common/record/params.h"
#include "common/record/pipeline_model.h"
#include "common/record/processor_share.h"
#include "common/record/ratio_text.h"
#include "common/record/seed_delta.h"
#include "common/record/trained.h"
#include "common/record/trap.h"
#include "common/view/chart/serving.h"
#include "common/view/report/content.h"
#include "common/view/report/decision.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

std::vector<const Series*> series_of(const Run& run, int64_t request) {
  std::vector<const Series*> found;
  for (const Series& series : run.series()) {
    if (request == 0 || series.request == request) found.push_back(&series);
  }
  return found;
}

/// What ran, and what it took besides its time.
std::string command_words(const CommandFacts& command) {
  std::string text = one_line(command.text, 200);
  if (command.cpu_ns) text += ", CPU time " + format_time_ns(*command.cpu_ns) + " a call";
  return text;
}

/// The interval allows for it: nothing for a reader to do.
constexpr const char* kCorrelated = "correlated";
/// Other programs took processor time of it.
constexpr const char* kContended = "contended";

std::string flag_words(const std::string& flag) {
  if (flag == "few_samples") return "";  // its column says so
  const std::string meaning = flag == "external" ? "" : flag_meaning(flag);
  const std::string name = flag == "noisy" ? "unsteady" : name_in_words(flag);
  return name + (meaning.empty() ? "" : ": ") + meaning;
}

/// What a reader has to know beside the row: why it failed, ran smaller, is noisy, or is no step.
std::vector<std::string> notes_of(const Series& series) {
  std::vector<std::string> notes;
  if (const std::string over = over_accuracy_limit(series); !over.empty()) {
    notes.push_back("over its limit of accuracy, so no candidate: " + over);
  } else if (series.status != SeriesStatus::ok) {
    notes.push_back(to_string(series.status) + (series.reason.empty() ? "" : ": " + series.reason));
    if (!series.samples.empty())
      notes.back() += fmt::format("; {} samples are kept", series.samples.size());
  }
  if (!series.reduced_from.empty())
    notes.push_back("ran smaller than " + series.reduced_from + ", where one call would pass 5 s");
  if (!series.note.empty()) notes.push_back(note_text(series.note));
  if (series.command) notes.push_back(command_words(*series.command));
  if (const std::string why = why_no_step(series.kernel, series.params);
      !why.empty() && has_speed(series) && series.mode != RunMode::compare)
    notes.push_back("no step at these parameters, it " + why);
  if (!series.stats) return notes;
  for (const std::string& flag : series.stats->flags) {
    if (std::string words = flag_words(flag); !words.empty()) notes.push_back(std::move(words));
  }
  return notes;
}

/// Why the column of shares is empty, a line for each reason to doubt a ceiling.
std::string doubtful_ceilings(const Run& run, const std::vector<const Series*>& all) {
  std::set<std::string> told;
  std::vector<std::pair<std::string, std::string>> names_of;  // by the doubt
  for (const Series* series : all) {
    if (!has_speed(*series) || !(series->flop > 0)) continue;
    const auto ceiling = known_flop_ceiling(run.ceilings(), *series);
    if (!ceiling || ceiling->doubt.empty() || !told.insert(ceiling->name).second) continue;
    const std::string name =
        fmt::format("{}, {}", ceiling->name, ceiling_text(*ceiling, ceiling->value));
    auto known = std::find_if(names_of.begin(), names_of.end(),
                              [&](const auto& one) { return one.first == ceiling->doubt; });
    if (known == names_of.end())
      names_of.emplace_back(ceiling->doubt, name);
    else
      known->second += "; " + name;
  }
  std::string text;
  for (const auto& [doubt, names] : names_of)
    text += fmt::format("  no share of {}: {} in doubt, {}\n", names,
                        names.find("; ") == names.npos ? "it is" : "they are", doubt);
  return text;
}

/// Notes with the rungs that each is about, in the order in which they came.
using NamedNotes = std::vector<std::pair<std::string, std::vector<std::string>>>;

void add_note(const std::string& note, const std::string& rung, NamedNotes* notes) {
  auto known = std::find_if(notes->begin(), notes->end(),
                            [&](const auto& other) { return other.first == note; });
  if (known == notes->end()) known = notes->insert(known, {note, {}});
  auto& names = known->second;  // trainings of several seeds are named once
  if (std::find(names.begin(), names.end(), rung) == names.end()) names.push_back(rung);
}

/// Figures that pass a measured ceiling, which their rows mark: a line for each reason.
std::string over_ceilings(const Run& run, const std::vector<const Series*>& all) {
  NamedNotes notes;
  for (const Series* series : all) {
    if (!has_speed(*series) || series->pipeline) continue;
    const Derived derived = derive(*series, run);
    const std::string name = name_among(run, *series);
    for (const auto* use : {&derived.compute, &derived.bandwidth}) {
      if (reads_over(*use))
        add_note(kOverCeiling, name + " " + format_share((*use)->value) + " of " + (*use)->name,
                 &notes);
    }
    if (derived.above_compute) add_note(derived.no_compute_reason, name, &notes);
    if (derived.above_bandwidth) add_note(derived.no_bandwidth_reason, name, &notes);
  }
  std::string text;
  for (const auto& [why, names] : notes)
    text += wrapped(fmt::format("  {} in doubt: {}: {}", kDoubtMark, fmt::join(names, ", "), why),
                    text_width(), 4) +
            "\n";
  return text;
}

/// The rungs that come nearer to a ceiling of memory than to that of compute, which the table's column is of.
std::string nearer_to_memory(const Run& run, const std::vector<const Series*>& all) {
  constexpr double kWorthSaying = 0.1;  // far below both, which of them is nearer says little
  NamedNotes notes;
  for (const Series* series : all) {
    if (!has_speed(*series) || series->pipeline) continue;
    const Derived derived = derive(*series, run);
    const Utilization* nearest = nearest_ceiling(derived);
    if (!nearest || !derived.bandwidth || nearest != &*derived.bandwidth ||
        nearest->value < kWorthSaying || !derived.flop_per_s)
      continue;
    add_note(nearest->name, name_among(run, *series) + " " + format_share(nearest->value), &notes);
  }
  std::string text;
  for (const auto& [ceiling, names] : notes)
    text += wrapped(fmt::format("  nearer to the ceiling of memory, {}: {}", ceiling,
                                fmt::join(names, ", ")),
                    text_width(), 4) +
            "\n";
  return text;
}

/// Where an earlier command measured them, and how to have them measured now.
std::string kept_ceilings(const Run& run, const std::vector<const Series*>& all) {
  const std::string age = ceilings_age(run.ceilings());
  if (age.empty() ||
      std::none_of(all.begin(), all.end(), [](const Series* series) { return has_speed(*series); }))
    return "";
  return "  " + age + "; 'ridgepoint machine' measures them anew\n";
}

/// The side of a comparison whose failure is all that kept this one from being timed; null: it was timed, or something
/// else was in the way.
const Series* failed_side(const Series& series, const std::vector<const Series*>& all) {
  if (series.status != SeriesStatus::skipped) return nullptr;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Series* other) {
    return other->request == series.request && other->status == SeriesStatus::failed &&
           series.reason.starts_with(other->kernel + ", ");
  });
  return found == all.end() ? nullptr : *found;
}

/// A line for each note, with the rungs that have it: most have what the machine did in common.
std::string notes_text(const std::vector<const Series*>& all, Detail detail) {
  NamedNotes notes;
  std::set<std::string> rungs;
  for (const Series* series : all) {
    const std::string name = short_name(series->kernel);
    rungs.insert(name);
    for (std::string note : notes_of(*series)) {
      if (const Series* failed = failed_side(*series, all); failed)
        note = "not timed, because " + short_name(failed->kernel) + " failed";
      if (detail == Detail::brief && note == flag_words(kCorrelated)) continue;
      add_note(note, name, &notes);
    }
  }
  std::string text;
  for (const auto& [note, names] : notes) {
    const bool is_common = names.size() > 2 && names.size() == rungs.size();
    const std::string who = is_common ? "all rungs" : fmt::format("{}", fmt::join(names, ", "));
    text += fmt::format("  {}: {}\n", who, note);
  }
  return text;
}

std::string percent(double share) {
  return fmt::format("{:.3g} %", share * 100);
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// One line a reason: a GPU's ladder is long.
std::string not_run_text(const std::vector<NotRun>& not_run) {
  constexpr size_t kNamed = 3;
  std::vector<std::string> reasons;
  for (const NotRun& rung : not_run) {
    if (std::find(reasons.begin(), reasons.end(), rung.reason) == reasons.end())
      reasons.push_back(rung.reason);
  }
  std::string text;
  for (const std::string& reason : reasons) {
    std::string names;
    size_t count = 0;
    for (const NotRun& rung : not_run) {
      if (rung.reason != reason || count++ >= kNamed) continue;
      names += (names.empty() ? "" : ", ") + short_name(rung.kernel);
    }
    if (count > kNamed) names += fmt::format(" and {} more", count - kNamed);
    text += fmt::format("  {}: not run: {}\n", names, reason);
  }
  return text;
}

/// "18 of 46 rungs ran, in tables of 13, 2 and 3; ": what the rows above add up to. What a cancel came before has not run.
std::string ran_words(const std::vector<const Series*>& all, size_t not_run) {
  std::set<std::string> rungs, begun;
  for (const Series* series : all) {
    rungs.insert(series->kernel);
    if (series->status != SeriesStatus::pending && series->status != SeriesStatus::cancelled)
      begun.insert(series->kernel);
  }
  std::string tables;
  const std::vector<size_t> rows = table_rows(all);
  for (size_t i = 0; i < rows.size(); ++i)
    tables += (i == 0 ? "" : i + 1 == rows.size() ? " and " : ", ") + std::to_string(rows[i]);
  const bool is_split = rows.size() > 1 && begun.size() == all.size();
  return fmt::format("{} of {} rungs ran{}; ", begun.size(), rungs.size() + not_run,
                     is_split ? ", in tables of " + tables : "");
}

/// All reasons on one line, the commonest first: "not run: 31 rungs (28: no CUDA device; 3: needs AVX-512)".
std::string not_run_line(const std::vector<const Series*>& all,
                         const std::vector<NotRun>& not_run) {
  std::vector<std::pair<size_t, std::string>> reasons;
  for (const NotRun& rung : not_run) {
    const auto known = std::find_if(reasons.begin(), reasons.end(),
                                    [&](const auto& one) { return one.second == rung.reason; });
    if (known == reasons.end())
      reasons.emplace_back(1, rung.reason);
    else
      ++known->first;
  }
  if (reasons.empty()) return "";
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string why;
  for (const auto& [count, reason] : reasons)
    why += fmt::format("{}{}{}", why.empty() ? "" : "; ",
                       reasons.size() > 1 ? std::to_string(count) + ": " : "", reason);
  return app::wrapped(fmt::format("  {}not run: {} {} ({})", ran_words(all, not_run.size()),
                                  not_run.size(), not_run.size() == 1 ? "rung" : "rungs", why),
                      text_width(), 4) +
         "\n";
}

/// Pipelines: how near each came to its bound, and its stages alone.
std::string stages_text(const std::vector<const Series*>& all) {
  std::string text;
  for (const Series* series : all) {
    if (!series->pipeline || !has_speed(*series)) continue;
    const PipelineOutcome& outcome = *series->pipeline;
    text += fmt::format("\n{}: {} a step of {}, {}\n", short_name(series->kernel),
                        format_time_ns(series->stats->median_ns * double(outcome.items_per_step)),
                        outcome.items_per_step, bound_text(outcome));
    text += table(kStageHeadings, stage_rows(*series));
  }
  return text;
}

}  // namespace

std::string results_text(const Run& run, int64_t request, const std::vector<NotRun>& not_run,
                         Detail detail) {
  std::vector<const Series*> rows;
  for (const Series* series : series_of(run, request)) {
    if (series->kind != RungKind::trap) rows.push_back(series);
  }
  const bool is_empty = series_of(run, request).empty();
  return (is_empty ? "" : environment_text(run)) + series_tables(run, rows) +
         results_notes(run, request, not_run, detail);
}

std::string results_notes(const Run& run, int64_t request, const std::vector<NotRun>& not_run,
                          Detail detail) {
  const std::vector<const Series*> all = series_of(run, request);
  std::vector<const Series*> traps;
  for (const Series* series : all) {
    if (series->kind == RungKind::trap) traps.push_back(series);
  }
  std::string text = traps.empty() ? "" : "\n" + heading_of(traps) + traps_text(traps);
  text += stages_text(all);
  const bool is_brief = detail == Detail::brief;
  std::string notes = kept_ceilings(run, all) + doubtful_ceilings(run, all) +
                      over_ceilings(run, all) + nearer_to_memory(run, all) +
                      notes_text(all, detail) +
                      (is_brief ? not_run_line(all, not_run) : not_run_text(not_run));
  const Lab* lab = all.empty() ? nullptr : find_lab(all.front()->lab);
  if (lab && !not_run.empty() && !is_brief) {
    for (const std::string& line : ladder_ends(*lab, run)) notes += "  " + line + "\n";
  }
  return text + (notes.empty() ? "" : "\n" + notes);
}

std::string seed_deltas_text(const Run& run, int64_t request, const std::string& metric) {
  const std::vector<const Series*> all = series_of(run, request);
  std::map<std::string, std::string> baselines;  // of each backend
  std::set<std::pair<std::string, Params>> told;
  std::string text;
  for (const Series* series : all) {
    if (series->kind != RungKind::training && !series->params.contains("seed")) continue;
    const auto [baseline, is_first] =
        baselines.try_emplace(backend_of(series->kernel).text(), series->kernel);
    if (is_first || baseline->second == series->kernel) continue;
    if (!told.emplace(series->kernel, without_seed(series->params)).second) continue;
    const auto delta = seed_delta(all, baseline->second, series->kernel, series->params, metric);
    if (delta && delta->seeds > 1)
      text += fmt::format("  {} against {}: {}\n", short_name(series->kernel),
                          short_name(baseline->second), seed_delta_text(*delta));
  }
  return text.empty() ? "" : "\n" + metric + ", paired by seed\n" + text;
}

namespace {

/// Why a side of it failed its check; empty: none did. The table's notes have said it.
std::string said_failure(const Run& run, const Comparison& one) {
  for (const bool is_candidate : {true, false}) {
    const Series* side = side_series(run, one, is_candidate);
    const QualityCheck* check = side ? side->quality() : nullptr;
    if (check && !check->passed && !check->reason.empty()) return check->reason;
  }
  return "";
}

}  // namespace

std::string comparisons_text(const Run& run, int64_t request) {
  std::string text;
  for (const Comparison& one : run.comparisons()) {
    if (request != 0 && one.request != request) continue;
    const Params &ours = one.candidate_params, &theirs = one.baseline_params;
    const auto side = [&](const std::string& kernel, const Params& own, const Params& other) {
      const Params differs = report::differing(own, other, one.size_param);
      return short_name(kernel) +
             (differs.empty() ? "" : " (" + params_in_words(one.lab, differs) + ")");
    };
    text += fmt::format("{}: {} against {}", upper(to_string(one.verdict)),
                        side(one.candidate, ours, theirs), side(one.baseline, theirs, ours));
    if (one.ratio > 0 && one.verdict != Verdict::invalid) {
      const bool is_range = one.ci && !uneven_reason(one).empty();
      text += ", " + (is_range ? headline_ratio_text(one) : ratio_text(one.ratio, one.ci));
      if (one.ci && !is_range) text += " " + ratio_interval_text(one.ci, one.margin);
    }
    text += fmt::format(" (margin {}, {})\n", percent(one.margin), rounds_text(one));
    if (const std::string few = few_rounds_text(one); !few.empty()) text += "  " + few + "\n";
    for (const std::string& sentence : trained_sentences(one)) text += "  " + sentence + "\n";
    for (const std::string& sentence :
         pipeline_sentences(side_series(run, one, false), side_series(run, one, true)))
      text += "  " + sentence + "\n";
    for (const std::string& sentence : clock_sentences(one)) text += "  " + sentence + "\n";
    const Decision decision = decide(run, one);
    const std::string said = said_failure(run, one);
    for (const std::string& reason : one.reasons) {
      const bool is_said = !said.empty() && reason.find(said) != std::string::npos;
      if (!is_said && decision.reason.find(reason) == std::string::npos)
        text += "  " + reason + "\n";
    }
    for (const BudgetRow& row : decision.budget) text += "  budget: " + row.sentence() + "\n";
    if (!decision.decision.empty())
      text +=
          fmt::format("  decision: {}: {}\n", decision_words(decision),
                      said.empty() ? decision.reason
                                   : decision.reason.substr(0, decision.reason.find(": " + said)));
  }
  return text;
}

namespace {

/// Whether other programs took processor time of a result, however quiet the machine was before and after.
bool has_contended(const Run& run) {
  return std::any_of(run.series().begin(), run.series().end(), [](const Series& series) {
    const auto* stats = series.stats ? &*series.stats : nullptr;
    return stats &&
           std::find(stats->flags.begin(), stats->flags.end(), kContended) != stats->flags.end();
  });
}

}  // namespace

std::string environment_text(const Run& run) {
  if (!run.environment()) return "";
  const Environment& environment = *run.environment();
  std::string text = environment.cpu.model;
  for (const GpuInfo& gpu : environment.gpus) text += ", " + gpu.name;
  if (!environment.os.empty()) text += ", " + environment.os;
  const bool tell_after = environment.quiet.quiet && run.quiet_after();
  const QuietState& state = tell_after ? *run.quiet_after() : environment.quiet;
  text += state.is_unknown && state.quiet ? ", load not known"
          : state.quiet ? (has_contended(run) ? ", quiet at first, not all the time" : ", quiet")
                        : fmt::format(", NOT QUIET: {}", fmt::join(state.reasons, "; "));
  return text + "\n";
}

namespace {

/// Each reason once: the rows of the table are marked.
std::string doubts_text(const std::map<std::string, std::vector<std::string>>& names_by_doubt) {
  constexpr size_t kFew = 2;
  std::string text;
  for (const auto& [doubt, names] : names_by_doubt) {
    const std::string of = names.size() <= kFew ? fmt::format("{}", fmt::join(names, " and "))
                                                : fmt::format("{} ceilings", names.size());
    text += fmt::format("in doubt: {}: {}\n", of, doubt);
  }
  return text;
}

}  // namespace

std::string ceilings_text(const Run& run) {
  std::vector<std::vector<std::string>> rows;
  std::map<std::string, std::vector<std::string>> names_by_doubt;
  for (const Ceiling& ceiling : run.ceilings()) {
    rows.push_back({ceiling.name, ceiling_text(ceiling, ceiling.value), ceiling_source(ceiling)});
    if (!ceiling.doubt.empty()) names_by_doubt[ceiling.doubt].push_back(ceiling.name);
  }
  return rows.empty() ? ""
                      : table({"ceiling", "value", "source"}, rows) + doubts_text(names_by_doubt);
}

namespace {

enum class Refusal { none, refused, passed };

/// What became of a rung that is there to be refused; none: it is meant to be right, or no check was made.
Refusal refusal_of(const Series& series, const Lab& lab) {
  const auto rung = std::find_if(lab.rungs.begin(), lab.rungs.end(),
                                 [&](const Rung& one) { return series.kernel == one.kernel; });
  if (rung == lab.rungs.end() || !rung->wrong || !series.quality()) return Refusal::none;
  if (!series.quality_passed()) return Refusal::refused;
  return rung->wrong(series.params) ? Refusal::passed : Refusal::none;
}

}  // namespace

std::string refusals_text(const Run& run, int64_t request, const Lab& lab) {
  std::string text;
  for (const Series* series : series_of(run, request)) {
    const Refusal refusal = refusal_of(*series, lab);
    if (refusal == Refusal::refused)
      text += "  " + short_name(series->kernel) + ": refused by design: it is there to be wrong\n";
    if (refusal == Refusal::passed)
      text += "  " + short_name(series->kernel) +
              ": PASSED, though it is there to be wrong: the gate does not see it, trust no check "
              "of this run\n";
  }
  return text.empty() ? "" : "\n" + text;
}

int run_exit_code(const Run& run, int64_t request, const Lab& lab) {
  bool done = false;
  for (const Series* series : series_of(run, request)) {
    const Refusal refusal = refusal_of(*series, lab);
    const bool is_over_limit = !over_accuracy_limit(*series).empty();  // a finding, nothing broken
    const bool failed =
        series->status == SeriesStatus::failed && refusal != Refusal::refused && !is_over_limit;
    if (failed || refusal == Refusal::passed) return static_cast<int>(ErrorCode::invalid);
    done |= refusal == Refusal::refused || is_over_limit || series->status == SeriesStatus::ok ||
            series->status == SeriesStatus::partial;
  }
  return done ? 0 : static_cast<int>(ErrorCode::unavailable);
}

std::string saved_text(const Run& run) {
  std::string text = results_text(run, 0, {}) + "\n" + comparisons_text(run, 0);
  for (const Serving& serving : run.servings()) text += chart::serving_text(serving) + "\n";
  return text;
}

int exit_code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
    case Verdict::same:
      return 0;
    case Verdict::slower:
      return 1;
    case Verdict::unresolved:
      return 2;
    case Verdict::invalid:
      break;
  }
  return 3;
}

int compare_exit_code(const Run& run, int64_t request) {
  int worst = -1;
  for (const Comparison& one : run.comparisons()) {
    if (one.request == request) worst = std::max(worst, exit_code_of(one.verdict));
  }
  // No comparison came out of it: there is nothing that may be used.
  return worst < 0 ? static_cast<int>(ErrorCode::invalid) : worst;
}

namespace {

std::vector<std::string> row_of(const Series& series) {
  std::vector<std::string> row(7);
  row[0] = short_name(series.kernel);
  if (!series.trap || series.status == SeriesStatus::failed) return row;
  const TrapOutcome& trap = *series.trap;
  return {row[0],
          reading_text(trap, trap.lie),
          reading_interval_text(trap, trap.lie),
          reading_text(trap, trap.honest),
          reading_interval_text(trap, trap.honest),
          bias_text(trap),
          trap.caught ? "caught" : "not caught"};
}

}  // namespace

std::string traps_text(const std::vector<const Series*>& traps) {
  std::vector<std::vector<std::string>> rows;
  std::string notes;
  for (const Series* series : traps) {
    rows.push_back(row_of(*series));
    if (!series->trap) continue;
    const TrapOutcome& trap = *series->trap;
    notes += fmt::format("  {}: {}; measured on {}\n    {}\n", short_name(series->kernel),
                         trap.quantity, trap.victim, guard_text(trap));
  }
  return table({"trap", "the lie", "95 %", "honest", "95 %", "the lie reads", "guard"}, rows) +
         (notes.empty() ? "" : "\n" + notes);
}

}  // namespace ridge::app
