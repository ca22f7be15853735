// Inside of build_report(): the parts that the sections are made of.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/record/command.h"
#include "common/record/derive.h"
#include "common/record/import.h"
#include "common/record/seed_delta.h"
#include "common/view/report/report.h"

namespace ridge::report {

/// One measured rung as a line of every table.
struct Line {
  const Series* series = nullptr;
  const Input* input = nullptr;
  std::string label{};
  std::string problem{};  ///< why none of its figures may be used; empty: they may
  bool is_baseline = false, is_candidate = false;
  bool in_turns = false;  ///< timed as a side of a comparison, not alone
  /// Its sustained turns, of seconds alone: then page 1 is of these. Null: it has none, or some line has none, so that they
  /// would not stand beside each other.
  const SustainedSide* sustained = nullptr;
  /// The rung was timed again since, outside the run that timed most of its ladder; null: it was not.
  const Series* later = nullptr;
  Derived derived{};
  Derived on_page_1{};  ///< the same, where there are sustained turns of these
  /// Of a training with several seeds: its speed over those of its results that are shown, the same for each.
  std::optional<SeedRates> over_seeds{};
};

/// Everything a section is built from.
struct Material {
  std::span<const Input> inputs;
  const Options* options = nullptr;
  std::string lab{};                   ///< id
  std::set<std::string> other_labs{};  ///< whose results are left out: a report is of one lab
  std::vector<Line> lines{};
  std::string shared_params{};  ///< parameters that all lines have in common
  std::vector<Claim> claims{};
  /// The pairs that a chosen baseline or candidate leaves out, and every pair turned round: a step of the ladder rests on
  /// its own pair all the same.
  std::vector<Claim> unasked{};
  /// Title and headline are about the one comparison: it was asked for, or nothing beside its sides was measured.
  bool is_of_pair = false;
};

/// A series of every rung, parameters and cache, in the order they first appeared: the latest, or that of the run which
/// timed most of its ladder (one_run.h). A failed check is never hidden by a later series without one.
/// Of the lab that `options` name alone.
std::vector<Line> collect_lines(std::span<const Input> inputs, const Options& options,
                                std::string* shared_params);
/// Whether the options take a result of these parameters from this lab.
bool is_wanted(const Options& options, const std::string& lab, const Params& params);
/// Why a series' figures may not be used; empty if they may.
std::string problem_of(const Series& series);
std::string title_of(const std::string& kernel, const Options& options);
/// What `own` has and `other` has not. Other sizes that equal the problem's `size` are left out, as on the command line,
/// where they follow it.
Params differing(const Params& own, const Params& other, const std::string& size);
/// The same as text: "n=512".
std::string differing_params(const Params& own, const Params& other, const std::string& size);
/// A side of a comparison, with what its parameters are where the other's are not: "threads (dtype=fp32)".
std::string side_text(const std::string& title, const Params& own, const Params& other,
                      const std::string& size);
/// Whether the line is a rung of the fourth kind: its figures stand in a section of their own.
bool is_trap(const Line& line);
/// Whether other programs took processor time while it ran.
bool was_busy(const Line& line);
/// Whether it is there to be compared with, and no step of the ladder.
bool is_library(const Line& line);
/// "unavailable: reason"
std::string unavailable(const std::string& reason);
/// Whether the last run or comparison of the lab in these files was cancelled: then the page lacks what was to come.
bool is_cut_by_cancel(const Material& material);
/// With a capital letter at its beginning.
std::string capitalised(std::string text);
/// A result's parameters that tell it from others: on a GPU no number of CPU threads.
Params told_params(const Series& series);
/// By which the lab's checks judge; empty: by an error norm.
std::string task_metric_of(const Material& material);
/// "Accuracy", of the metric "accuracy".
std::string task_title(const std::string& metric);
/// A check's value of it: "0.8730".
std::string task_text(const QualityCheck& check, const std::string& metric);
/// The last part of a kernel id.
std::string short_name(const std::string& kernel);

/// What the results are of, where they are the user's own.
OwnSides own_sides_of(const Material& material);
/// What a person wrote: the options' words over the candidate's run's over the baseline's.
Notes notes_of(const Material& material);

/// Whether both sides are one rung at the same parameters: of two runs, which no command can pair.
bool is_of_one_rung(const Comparison& comparison);

/// Whether it is of the same two at the same parameters.
bool is_of_same_pair(const Claim& claim, const Comparison& comparison);
/// Before it a claim's sentence says what was measured, behind it what is decided.
inline constexpr std::string_view kDecisionWord = " Decision: ";
std::string claim_sentence(const Claim& claim, const Options& options);
/// Of a learner's text that was saved again since it was compared, what became of the last save: "does not compile"; empty: the
/// comparison is of the last one.
std::string last_save_words(const Claim& claim);

// results.cpp
/// "2026-11-26 02:51 UTC", "2026-11-26 02:44 to 02:52 UTC": when the results of `input` that are shown came; empty: the run
/// does not say.
std::string measured_when(const Material& material, const Input& input);
/// Two sentences: what it is, and what measured there and when.
std::vector<std::string> machine_lines(const Material& material, const Input& input, bool on_gpu);
Section environment_section(const Material& material);
Section throughput_section(const Material& material);
Section latency_section(const Material& material);
Section utilization_section(const Material& material);
Section memory_section(const Material& material);
Section bandwidth_section(const Material& material);
Section error_section(const Material& material);

// causes.cpp
/// What holds a rung back, what that rests on, and what usually helps.
struct Cause {
  std::string what, evidence, lever;
};
/// None where it has no speed.
std::optional<Cause> cause_of(const Material& material, const Line& line);
/// What holds each rung back, and where known what it takes of the GPU and what was counted.
std::vector<Section> cause_sections(const Material& material);
// traps.cpp
/// The traps' two figures; empty where there are no traps.
std::vector<Section> trap_sections(const Material& material);

// charts.cpp
/// The ladder, and beside it the other views of the same results: a roofline for every machine and
/// backend that ran something, the size curve where there are several sizes, speed against error.
std::vector<Section> ladder_sections(const Material& material);

/// "timed again at 02:52: 339 MFLOP/s": a result that the ladder does not take.
std::string later_words(const Line& line, const Options& options);

// claims.cpp
/// "40 rounds", and "40 rounds at equal clock" of a load that held the clock down.
std::string rests_on(const Comparison& comparison);
/// "faster; adopt", "faster at equal clock; sustained not measured": the verdict with the decision, the same words
/// wherever the claim stands.
std::string verdict_words(const Claim& claim);
/// Each comparison's ratio with its interval and its rounds.
chart::ChartModel interval_chart(const Material& material, const std::vector<const Claim*>& claims);
Section gain_section(const Material& material);
Section paired_section(const Material& material);
/// What a GPU's clock did, and each side alone; empty where no clock was looked at.
std::vector<Section> clock_sections(const Material& material);
/// Of each comparison of trainings both sides: times, accuracy, memory; empty where none is one.
std::vector<Section> trained_sections(const Material& material);
/// How the times of both sides spread; empty where nothing was compared in pairs.
std::vector<Section> spread_sections(const Material& material);

// checklist.cpp
std::vector<std::string> untested_of(const Material& material);
/// One command that runs these rungs again; of parameters that differ between them none is set.
std::string climb_command(const Material& material, const std::vector<const Line*>& lines,
                          const std::string& out);
std::string claim_command(const Claim& claim, const std::string& out);
/// The same as a person types it: short names, without parameters that follow the size.
std::string short_claim_command(const Material& material, const Claim& claim,
                                const std::string& out);
/// Of benchmarks that another program timed: what shows them again.
std::string import_command(const Material& material);
Section calibrate_section(const Material& material);
Section not_tested_section(const Material& material);
Section reproduce_section(const Material& material);
/// The texts of the edited rungs, which no other machine has.
std::vector<Section> edited_sections(const Material& material);

}  // namespace ridge::report
