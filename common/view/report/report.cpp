#include "common/view/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/core/format.h"
#include "common/core/nearest.h"
#include "common/core/raised.h"
#include "common/record/clocks.h"
#include "common/record/command.h"
#include "common/record/noise_floor.h"
#include "common/record/params.h"
#include "common/record/stale_words.h"
#include "common/view/report/apart.h"
#include "common/view/report/content.h"
#include "common/view/report/front.h"
#include "common/view/report/headline.h"
#include "common/view/report/pair_order.h"
#include "common/view/report/predictions.h"
#include "common/view/report/sheet.h"

namespace ridge::report {
namespace {

/// By its id or the end of it: "gemm.cpu.packed", "cpu.packed" as the terminal's table has it, "packed".
bool names(const std::string& wanted, const std::string& kernel) {
  return wanted.empty() || wanted == kernel || kernel.ends_with("." + wanted);
}

std::vector<std::string> rungs_of(const Run& run) {
  std::vector<std::string> seen;
  for (const Series& series : run.series()) {
    if (std::find(seen.begin(), seen.end(), series.kernel) == seen.end())
      seen.push_back(series.kernel);
  }
  return seen;
}

/// By their ends, where no whole id was typed.
std::vector<std::string> as_typed(const std::string& typed, std::vector<std::string> kernels) {
  if (typed.find('.') != std::string::npos) return kernels;
  for (std::string& kernel : kernels) kernel.erase(0, kernel.rfind('.') + 1);
  return kernels;
}

std::string measured_rungs(const Run& run) {
  const std::vector<std::string> rungs = rungs_of(run);
  return rungs.empty() ? "none" : few_of(rungs);
}

Claim paired_claim(const Run& run, const Comparison& comparison, const Options& options) {
  Claim claim{.comparison = comparison, .decision = decide(run, comparison, options.titles)};
  claim.run = &run;
  claim.sentence = claim_sentence(claim, options);
  return claim;
}

/// The one series that `wanted` names, or the only one there is.
Result<const Series*> pick_series(const Input& input, const std::string& wanted, const Params& only,
                                  const char* option, const std::string& where) {
  const Series* found = nullptr;
  for (const Series& series : input.run->series()) {
    if (!names(wanted, series.kernel) || !agrees(series.params, only)) continue;
    if (found && found->kernel != series.kernel) {
      return Error{ErrorCode::usage, "it holds several rungs", where,
                   std::string("a report of two runs compares a rung of each: say which with ") +
                       option + ", of " + measured_rungs(*input.run) +
                       "; else make a report of each run by itself"};
    }
    found = &series;  // the latest stands
  }
  if (found) return found;
  return Error{ErrorCode::usage, "it holds no rung '" + wanted + "'", where,
               std::string("choose for ") + option + " from: " + measured_rungs(*input.run)};
}

std::string file_of(const Input& input) {
  return input.name.substr(input.name.rfind('/') + 1);
}

bool has_rung(const Input& input, const std::string& wanted) {
  const auto& all = input.run->series();
  return !wanted.empty() && std::any_of(all.begin(), all.end(), [&](const Series& series) {
    return names(wanted, series.kernel);
  });
}

/// Baseline and candidate that never met in one comparison: shown side by side, nothing claimed.
Result<Claim> unpaired_claim(const Input& base_input, const Input& candidate_input,
                             const Options& options) {
  const bool are_two = base_input.run != candidate_input.run;
  // One name is of both sides, where the other run has that rung too.
  const auto name_for = [&](const Input& input, const std::string& own, const std::string& other) {
    return are_two && own.empty() && has_rung(input, other) ? other : own;
  };
  const auto where = [&](const Input& input, const char* role) {
    return input.name + (are_two ? role : "");
  };
  RIDGE_TRY(const Series* base,
            pick_series(base_input, name_for(base_input, options.baseline, options.candidate),
                        options.only, "--baseline",
                        where(base_input, ", the first run and so the baseline's")));
  RIDGE_TRY(
      const Series* candidate,
      pick_series(candidate_input, name_for(candidate_input, options.candidate, options.baseline),
                  options.only, "--candidate",
                  where(candidate_input, ", the second run and so the candidate's")));
  if (const std::string why = why_not_beside(*base, *candidate); !why.empty()) {
    return Error{ErrorCode::usage, "the two cannot stand beside each other: " + why,
                 candidate_input.name,
                 "name results of one problem at one size with --baseline, --candidate and --set"};
  }
  Claim claim;
  claim.paired = false;
  claim.differences =
      differences_sentence(*base_input.run, *base, *candidate_input.run, *candidate);
  claim.run = candidate_input.run;
  Comparison& comparison = claim.comparison;
  comparison.lab = candidate->lab;
  comparison.baseline = base->kernel;
  comparison.candidate = candidate->kernel;
  comparison.baseline_params = base->params;
  comparison.candidate_params = candidate->params;
  comparison.cache = candidate->cache;
  claim.decision.not_tested = {
      "which of the two is faster: they were measured apart, and a difference between them may be "
      "the machine's",
      "other sizes, types and machines than those named above"};
  claim.sentence = claim_sentence(claim, options);
  if (are_two)
    claim.sentence +=
        " Baseline: " + file_of(base_input) + ". Candidate: " + file_of(candidate_input) + ".";
  const std::string problem = quality_problem(*candidate);
  if (!problem.empty()) {  // a failed check needs no pair to be refused
    claim.decision.verdict = Verdict::invalid;
    claim.decision.decision = "reject";
    claim.decision.reason = "the candidate " + problem;
    claim.sentence += " The candidate " + problem + ". Decision: reject.";
  }
  return claim;
}

bool is_asked(const Comparison& comparison, const Options& options) {
  return names(options.baseline, comparison.baseline) &&
         names(options.candidate, comparison.candidate);
}

/// A pair of the two that are named answers whichever of them was its baseline.
Comparison as_named(const Comparison& comparison, const Options& options) {
  const bool names_both = !options.baseline.empty() && !options.candidate.empty();
  if (!names_both || is_asked(comparison, options) || !can_turn(comparison)) return comparison;
  const Comparison turned = turned_round(comparison);
  return is_asked(turned, options) ? turned : comparison;
}

/// The pairs of one run: those of the baseline and the candidate that were asked for, or the others.
std::vector<Claim> pairs_in(std::span<const Input> inputs, const Options& options, bool are_asked) {
  std::vector<Claim> claims;
  if (inputs.size() != 1) return claims;
  const Run& run = *inputs[0].run;
  for (const Comparison& comparison : run.comparisons()) {
    if (is_self_check(comparison)) continue;  // of the machine, not of a rung
    const Comparison one = as_named(comparison, options);
    if (is_asked(one, options) != are_asked) continue;
    if (!is_wanted(options, one.lab, one.candidate_params)) continue;
    claims.push_back(paired_claim(run, one, options));
  }
  return claims;
}

/// What stands behind the claims of a report: the pairs that were not asked for, and each pair the other way round. A step
/// of the ladder rests on its own pair, whichever of its rungs was the baseline.
std::vector<Claim> unasked_pairs(std::span<const Input> inputs, const Options& options) {
  std::vector<Claim> claims;
  for (const bool are_asked : {false, true}) {
    for (const Claim& claim : pairs_in(inputs, options, are_asked)) {
      const Comparison& one = claim.comparison;
      if (can_turn(one) && claim.decision.verdict != Verdict::invalid)
        claims.push_back(paired_claim(*claim.run, turned_round(one), options));
    }
  }
  // Behind the turned ones: of two that weigh the same the later stands.
  for (Claim& claim : pairs_in(inputs, options, false)) claims.push_back(std::move(claim));
  return claims;
}

/// Of a run that holds no comparison with the one side that is named.
Error no_pair_error(const Input& input, const std::string& side, const std::string& other) {
  const std::vector<std::string> rungs = rungs_of(*input.run);
  const auto is_it = [&](const std::string& kernel) { return names(side, kernel); };
  if (std::none_of(rungs.begin(), rungs.end(), is_it))
    return {ErrorCode::usage, "it holds no rung '" + side + "'", input.name,
            name_hint(side, as_typed(side, rungs), "", rungs)};
  const bool has_any = !input.run->comparisons().empty();
  return {ErrorCode::usage,
          has_any ? "it holds no comparison with '" + side + "'" : "it holds no comparison at all",
          input.name,
          "name " + other + " too, to set two rungs that ran one after the other side by side"};
}

Result<std::vector<Claim>> collect_claims(std::span<const Input> inputs, const Options& options) {
  std::vector<Claim> claims = pairs_in(inputs, options, true);
  if (inputs.size() == 1) {
    const bool both = !options.baseline.empty() && !options.candidate.empty();
    if (!claims.empty() || (options.baseline.empty() && options.candidate.empty())) return claims;
    if (!both) {
      const bool base = !options.baseline.empty();
      return no_pair_error(inputs[0], base ? options.baseline : options.candidate,
                           base ? "--candidate" : "--baseline");
    }
  }
  RIDGE_TRY(Claim claim, unpaired_claim(inputs.front(), inputs.back(), options));
  claims.push_back(std::move(claim));
  return claims;
}

std::set<std::string> labs_left_out(std::span<const Input> inputs, const Options& options) {
  std::set<std::string> labs;
  for (const Input& input : inputs) {
    for (const Series& series : input.run->series()) {
      if (!options.lab.empty() && series.lab != options.lab) labs.insert(series.lab);
    }
  }
  return labs;
}

/// Of several runs of the one pair that a report is about, the last claim is what it says.
void put_weightiest_last(Material* material) {
  auto& claims = material->claims;
  if (!material->is_of_pair || material->inputs.size() != 1) return;
  if (const Claim* lead = weightiest_like(*material, claims.back()))
    std::rotate(claims.begin() + (lead - claims.data()),
                claims.begin() + (lead - claims.data()) + 1, claims.end());
}

/// Of a ladder no rung is a side: the last of its claims is one of many.
void mark_sides(Material* material) {
  if (!material->is_of_pair) return;
  const Claim& claim = material->claims.back();
  const Comparison& c = claim.comparison;
  for (Line& line : material->lines) {
    const Series& series = *line.series;
    const bool first = line.input == &material->inputs.front();
    const bool last = line.input == &material->inputs.back();
    line.is_baseline = first && series.kernel == c.baseline && series.params == c.baseline_params &&
                       series.cache == c.cache;
    line.is_candidate = !line.is_baseline && last && series.kernel == c.candidate &&
                        series.params == c.candidate_params && series.cache == c.cache;
  }
}

/// A climb that holds one comparison is still a climb, and the comparison one of its claims: other rungs than the two
/// sides were measured, libraries aside.
bool is_about_pair(const Material& material) {
  if (material.claims.empty()) return false;
  const Comparison& c = material.claims.back().comparison;
  const bool is_one = std::all_of(material.claims.begin(), material.claims.end(),
                                  [&](const Claim& claim) { return is_of_same_pair(claim, c); });
  if (!is_one) return false;
  const Options& options = *material.options;
  const bool was_asked_for = !options.baseline.empty() || !options.candidate.empty();
  if (was_asked_for || material.inputs.size() == 2 || c.trained) return true;
  return std::none_of(material.lines.begin(), material.lines.end(), [&](const Line& line) {
    const std::string& kernel = line.series->kernel;
    return line.series->lab == c.lab && line.problem.empty() && !is_library(line) &&
           kernel != c.baseline && kernel != c.candidate;
  });
}

std::string file_name(const std::string& path) {
  const size_t slash = path.find_last_of("/\\");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// "By Ada, Compilers · "; empty without a name and a course.
std::string author_of(const Material& material) {
  const Notes notes = notes_of(material);
  std::string who;
  for (const NoteField& field : note_fields()) {
    const auto found = notes.find(field.key);
    if (!field.is_of_author || found == notes.end()) continue;
    who += (who.empty() ? "" : ", ") + found->second;
  }
  if (who.empty()) return "";
  return (notes.contains("name") ? "By " : "For ") + who + " · ";
}

/// "quick run (mode live)": how long the rungs were timed; empty: all were timed as sides of comparisons.
std::string modes_text(const Material& material) {
  std::string text;
  for (const auto& [mode, words] : {std::pair(RunMode::live, "quick run (mode live)"),
                                    {RunMode::measure, "full run (mode measure)"}}) {
    const bool is_used =
        std::any_of(material.lines.begin(), material.lines.end(), [&, &mode = mode](const Line& line) {
          return line.series->mode == mode && line.series->stats && !is_trap(line);
        });
    if (is_used) text += (text.empty() ? "" : " and ") + std::string(words);
  }
  return text;
}

/// "this session: 5 of its 14 results, those of GEMM at n=512": what of what was measured the report is about.
std::string scope_of(const Material& material, const Climb* climb) {
  const Options& options = *material.options;
  std::string source = options.source;
  for (const Input& input : material.inputs) {
    if (!options.source.empty()) break;
    source += (source.empty() ? "" : " and ") + input.name;
  }
  const auto has_figure = [](const Line& line) {
    return line.series->stats || is_trap(line) || throughput_of(*line.series);
  };
  const auto count = [&](const std::vector<Line>& lines) {
    return static_cast<size_t>(std::count_if(lines.begin(), lines.end(), has_figure));
  };
  std::string ignored;
  const size_t all = count(collect_lines(material.inputs, {}, &ignored)),
               own = count(material.lines);
  // The title's chart has those of one point.
  const size_t climbed = climb && !material.is_of_pair ? climb->lines.size() : own;
  const std::string shown =
      climbed > 0 && climbed < own ? fmt::format(", {} of them in the ladder", climbed) : "";
  if (own >= all)
    return fmt::format("{}: all {} result{}{}", source, all, all == 1 ? "" : "s", shown);
  const std::string lab = options.lab_title.empty() ? material.lab : options.lab_title;
  return fmt::format("{}: {} of {} results, those of {}{}{}", source, own, all, lab,
                     options.only.empty() ? "" : " at " + to_string(options.only), shown);
}

/// `climb`: null where the report has none.
std::string subtitle_of(const Material& material, const Climb* climb) {
  std::string machines;
  for (const Input& input : material.inputs) {
    const auto& env = input.run->environment();
    std::string part = env ? env->machine() : "machine not recorded";
    if (const std::string when = measured_when(material, input); !when.empty())
      part += " · " + when;
    if (machines.find(part) == std::string::npos)
      machines += (machines.empty() ? "" : " and ") + part;
  }
  const std::string& recorded = material.options->recorded;
  std::string text = author_of(material);
  text += recorded + (recorded.empty() ? "" : " · ") + scope_of(material, climb) + " · " + machines;
  for (const std::string& part : {material.shared_params, modes_text(material)})
    text += part.empty() ? "" : " · " + part;
  const auto stale = std::count_if(material.lines.begin(), material.lines.end(),
                                   [](const Line& line) { return line.series->stale; });
  const std::string counted =
      stale_text(static_cast<size_t>(stale), material.lines.size(), "result");
  if (!counted.empty()) text += " · " + counted + ": " + changed_since("their kernels have");
  return text;
}

/// Adds sections to a part of the appendix; a table without a row says nothing.
void add_to(Part part, std::vector<Section> more, std::vector<Section>* sections) {
  for (Section& section : more) {
    if (section.table && section.table->rows.empty() && !section.chart) continue;
    section.part = part;
    sections->push_back(std::move(section));
  }
}

std::vector<Section> appendix_of(const Material& material) {
  std::vector<Section> sections;
  const Options& options = *material.options;
  const bool has_claims = !material.claims.empty();
  add_to(Part::results, trap_sections(material), &sections);
  add_to(Part::results, {throughput_section(material), error_section(material)}, &sections);
  if (has_claims) add_to(Part::results, {paired_section(material)}, &sections);
  add_to(Part::results, trained_sections(material), &sections);
  add_to(Part::results, options.sections, &sections);
  add_to(Part::results, prediction_sections(material.inputs, options), &sections);
  // Page 1 refers to both: paper has them.
  if (material.is_of_pair) add_to(Part::results, clock_sections(material), &sections);
  add_to(Part::results, edited_sections(material), &sections);
  add_to(Part::charts, ladder_sections(material), &sections);
  add_to(Part::charts, spread_sections(material), &sections);
  // A training is the whole job, and no part of one.
  if (has_claims && !material.claims.back().comparison.trained)
    add_to(Part::method, {gain_section(material)}, &sections);
  add_to(Part::method,
         {latency_section(material), utilization_section(material), memory_section(material),
          bandwidth_section(material)},
         &sections);
  add_to(Part::method, cause_sections(material), &sections);
  if (!material.is_of_pair) add_to(Part::method, clock_sections(material), &sections);
  add_to(Part::method,
         {environment_section(material), calibrate_section(material), not_tested_section(material),
          reproduce_section(material)},
         &sections);
  return sections;
}

/// ", causal = no": what all rungs of the climb share and another result of one of them has not.
std::string told_apart(const Material& material, const Climb& climb) {
  Params::Map apart;
  for (const Line& other : material.lines) {
    for (const Line* line : climb.lines) {
      const Series &own = *line->series, &its = *other.series;
      if (own.kernel != its.kernel || own.cache != its.cache) continue;
      for (const auto& [name, value] : differing(own.params, its.params, own.size_param))
        if (name != own.size_param) apart[name] = value;
    }
  }
  if (has_medians_over_seeds(climb)) apart.erase("seed");
  std::string text;
  for (const auto& [name, value] : apart) {
    const bool is_shared =
        std::all_of(climb.lines.begin(), climb.lines.end(),
                    [&, &name = name, &value = value](const Line* line) {
                      const auto at = line->series->params.find(name);
                      return at != line->series->params.end() && at->second == value;
                    });
    if (is_shared) text += ", " + name + " = " + to_string(value);
  }
  return text;
}

/// " at n = 512": of what page 1 is about; empty where its rungs have no one size.
std::string size_of(const Material& material, const Climb& climb) {
  std::set<std::string> sizes;
  for (const Line* line : climb.lines) {
    const auto size = line->series->params.find(line->series->size_param);
    if (size == line->series->params.end()) return "";
    sizes.insert(size->first + " = " + to_string(size->second));
  }
  const bool has_one = sizes.size() == 1 && own_sides_of(material).many.empty();
  return has_one ? " at " + *sizes.begin() + told_apart(material, climb) : "";
}

/// Of a run that served queues and timed no rung alone: what each queue came to, and the machine.
void report_queues(const Material& material, Report* report) {
  std::vector<Section> queues;
  for (const Section& section : material.options->sections) {
    if (section.id.starts_with("queue")) queues.push_back(section);
  }
  report->title = material.options->lab_title + ": " + queues.front().title;
  report->sentence = report->lead = queues.front().paragraphs.front();
  report->subtitle = subtitle_of(material, nullptr);
  report->notes = notes_of(material);
  add_to(Part::results, std::move(queues), &report->sections);
  add_to(Part::method, {environment_section(material)}, &report->sections);
}

bool has_queues(const Options& options) {
  return std::any_of(options.sections.begin(), options.sections.end(),
                     [](const Section& section) { return section.id.starts_with("queue"); });
}

/// Why there is no line: the inputs are empty, of another lab, or hold none at the parameters that were asked for, whose
/// values follow.
Error no_results(std::span<const Input> inputs, const Options& options) {
  std::map<std::string, std::set<ParamValue>> known;
  std::string others;
  for (const Input& input : inputs) {
    for (const Series& series : input.run->series()) {
      if (!options.lab.empty() && series.lab != options.lab) {
        others = series.lab;
        continue;
      }
      for (const auto& [name, wanted] : options.only) {
        if (const auto at = series.params.find(name); at != series.params.end())
          known[name].insert(at->second);
      }
    }
  }
  if (known.empty() && !others.empty()) {
    return {ErrorCode::bad_input,
            "it has results of the lab " + others + ", none of " + options.lab, inputs[0].name,
            "name the lab " + others + ", or a run of " + options.lab};
  }
  if (known.empty()) {
    return {ErrorCode::bad_input, "nothing was measured in it", inputs[0].name,
            "make a run with 'ridgepoint run LAB --out RUN.jsonl'"};
  }
  std::string there;
  for (const auto& [name, values] : known) {
    there += (there.empty() ? "" : "; ") + name + " =";
    for (const ParamValue& value : values)
      there += (value == *values.begin() ? " " : ", ") + to_string(value);
  }
  return {ErrorCode::bad_input, "it has no result at " + to_string(options.only), inputs[0].name,
          "it has " + there};
}

}  // namespace

const char* title_of(Part part) {
  switch (part) {
    case Part::results:
      return "Results in tables";
    case Part::charts:
      return "More charts";
    case Part::method:
      break;
  }
  return "How it was measured";
}

Footnoted footnoted(const Table& table) {
  Footnoted out{.table = table, .notes = {}};
  std::map<std::string, int> uses;
  for (const auto& row : table.rows) {
    for (const std::string& cell : row) uses[cell] += cell.starts_with("unavailable: ");
  }
  std::map<std::string, std::string> marks;
  for (auto& row : out.table.rows) {
    for (std::string& cell : row) {
      if (uses[cell] < 2) continue;
      const auto [mark, is_new] = marks.try_emplace(cell, raised(marks.size() + 1));
      if (is_new) out.notes.push_back(mark->second + " " + cell);
      cell = std::string(kNone) + " " + mark->second;
    }
  }
  return out;
}

namespace {

void set_sentences(const std::vector<std::string>& sentences, Report* report) {
  for (size_t i = 0; i < sentences.size(); ++i) {
    std::string& part = i == 0 ? report->lead : report->rest;
    part += (part.empty() ? "" : " ") + sentences[i];
  }
  report->sentence = report->lead + (report->rest.empty() ? "" : " ") + report->rest;
}

}  // namespace

Result<Report> build_report(std::span<const Input> inputs, const Options& options) {
  if (inputs.empty() || inputs.size() > 2) {
    return Error{ErrorCode::usage, "a report takes one run or two", "",
                 "give a baseline's file and a candidate's"};
  }
  Report report;
  report.inputs.assign(inputs.begin(), inputs.end());
  report.titles = options.titles;
  report.levers = options.levers;
  // Readers need the file's name; where it lay on the machine that made the report is nobody's.
  const bool same_name =
      inputs.size() == 2 && file_name(inputs[0].name) == file_name(inputs[1].name);
  for (Input& input : report.inputs) {
    if (!same_name) input.name = file_name(input.name);
  }
  Material material{.inputs = report.inputs, .options = &options};
  material.lines = collect_lines(report.inputs, options, &material.shared_params);
  if (material.lines.empty() && has_queues(options)) {
    report_queues(material, &report);
    return report;
  }
  if (material.lines.empty()) {
    return no_results(inputs, options);
  }
  material.lab = material.lines.back().series->lab;
  material.other_labs = labs_left_out(inputs, options);
  RIDGE_TRY(material.claims, collect_claims(inputs, options));
  material.unasked = unasked_pairs(inputs, options);
  material.is_of_pair = report.is_of_pair = is_about_pair(material);
  put_weightiest_last(&material);
  mark_sides(&material);

  const Climb climb = climb_of(material);
  const std::string own = capitalised(own_sides_of(material).many);
  const std::string lab = !options.lab_title.empty() ? options.lab_title
                          : !own.empty()             ? own
                                                     : material.lab;
  const std::string size = size_of(material, climb);
  if (!material.is_of_pair) {
    report.title = own.empty() ? lab + ": the ladder" + size : lab;
    set_sentences(climb_sentences(material, climb), &report);
  } else {
    const Comparison& c = material.claims.back().comparison;
    report.title = lab + ": " + title_of(c.candidate, options) + " against " +
                   title_of(c.baseline, options) + size;
    report.sentence = material.claims.back().sentence;
    const size_t end = report.sentence.find(kDecisionWord);
    report.lead = report.sentence.substr(0, end);
    if (end != std::string::npos) report.rest = report.sentence.substr(end + 1);
  }
  report.about = about_ladder(material, climb);
  report.subtitle = subtitle_of(material, &climb);
  report.notes = notes_of(material);
  report.headline = headline_of(material, climb);
  report.front = front_sections(material, climb);
  report.sections = appendix_of(material);
  report.climb = climbed_rungs(material, climb);
  report.claims = std::move(material.claims);
  fit_one_sheet(&report);
  return report;
}

}  // namespace ridge::report
