#include "common/view/report/content.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/record/command.h"
#include "common/record/edit.h"
#include "common/record/in_turns.h"
#include "common/record/one_run.h"
#include "common/record/params.h"
#include "common/record/ratio_text.h"
#include "common/record/seed_delta.h"
#include "common/record/stale_words.h"

namespace ridge::report {
namespace {

using namespace chart;

/// One rung at one set of parameters: its results take each other's place.
using RungKey = std::tuple<std::string, Params::Map, std::string>;
RungKey key_of(const Series& series) {
  return {series.kernel, series.params.map(), series.cache.text()};
}

/// Whether `fresh` takes the place of `known`: what was only asked for hides nothing, nor does a side of a comparison,
/// whose time is another than that of the rung alone.
bool replaces(const Run& run, const Series& fresh, const Series& known) {
  if (!quality_problem(fresh).empty()) return true;
  if (!quality_problem(known).empty() && fresh.checks.empty()) return false;
  if (!takes_place_of(run, fresh, known)) return false;
  return fresh.stats.has_value() || !known.stats;
}

std::string family_of(const Line& line) {
  return std::string(ridge::family_of(line.series->kernel));
}

/// What the lines of a family have in common: a parameter that only some of its rungs have tells nothing where it has one
/// value, and neither does what names the rung itself.
Params shared_params_of(const std::vector<Line>& lines, const std::string& family) {
  Params::Map shared, several;
  for (const Line& line : lines) {
    if (family_of(line) != family) continue;
    for (const auto& [name, value] : told_params(*line.series)) {
      if (shared.try_emplace(name, value).first->second != value) several[name] = value;
    }
  }
  for (const auto& [name, value] : several) shared.erase(name);
  return shared;
}

/// "cache blocks · n=512 · cold · from b.jsonl": as much as it takes to tell the lines apart.
void name_lines(std::vector<Line>* lines, bool two_files, const Options& options,
                std::string* shared_params) {
  std::map<std::string, Params> shared;
  std::map<std::string, std::string> sizes;
  for (const Line& line : *lines) {
    if (const std::string family = family_of(line); !shared.contains(family))
      shared[family] = shared_params_of(*lines, family);
    sizes.try_emplace(family_of(line), line.series->size_param);
  }
  shared_params->clear();
  for (const auto& [family, params] : shared) {
    if (!shared_params->empty()) *shared_params += "; ";
    *shared_params +=
        (shared.size() > 1 ? family + ": " : "") + differing_params(params, {}, sizes[family]);
  }
  const bool one_cache = std::all_of(lines->begin(), lines->end(), [&](const Line& line) {
    return line.series->cache == lines->front().series->cache;
  });
  const bool all_in_turns =
      std::all_of(lines->begin(), lines->end(), [](const Line& line) { return line.in_turns; });
  for (Line& line : *lines) {
    line.label = title_of(line.series->kernel, options);
    const std::string own = differing_params(told_params(*line.series), shared[family_of(line)],
                                             line.series->size_param);
    if (!own.empty()) line.label += " · " + own;
    if (!one_cache && !line.series->cache.empty()) line.label += " · " + line.series->cache.text();
    if (two_files) line.label += " · " + line.input->name;
    if (line.in_turns && !all_in_turns) line.label += " · " + kTimedInTurns;
    line.label = with_stale(line.label, line.series->stale);
  }
}

}  // namespace

OwnSides own_sides_of(const Material& material) {
  return material.lines.empty() ? OwnSides() : own_sides(*material.lines.front().series);
}

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

Params told_params(const Series& series) {
  Params params = without_own(series);
  const bool is_kernel = series.kind.empty() || series.kind == RungKind::kernel;
  if (is_kernel && backend_of(series.kernel) == Backend::cuda) params.erase("threads");
  return params;
}

Params differing(const Params& own, const Params& other, const std::string& size) {
  Params::Map differs;
  for (const auto& [name, value] : own) {
    const auto found = other.find(name);
    if (found == other.end() || found->second != value) differs[name] = value;
  }
  const auto at = differs.find(size);
  std::erase_if(differs, [&](const auto& entry) {
    return at != differs.end() && entry.first != size && entry.first != "threads" &&
           entry.second == at->second;
  });
  return differs;
}

std::string differing_params(const Params& own, const Params& other, const std::string& size) {
  return to_string(differing(own, other, size));
}

std::string side_text(const std::string& title, const Params& own, const Params& other,
                      const std::string& size) {
  const std::string differs = differing_params(own, other, size);
  return title + (differs.empty() ? "" : " (" + differs + ")");
}

bool is_trap(const Line& line) {
  return line.series->kind == RungKind::trap;
}

bool was_busy(const Line& line) {
  if (!line.series->stats) return false;
  const auto& flags = line.series->stats->flags;
  return std::find(flags.begin(), flags.end(), "contended") != flags.end();
}

bool is_library(const Line& line) {
  const KernelInfo* info = line.input->run->kernel(line.series->kernel);
  return info && !info->library.empty();
}

std::string unavailable(const std::string& reason) {
  return "unavailable: " + (reason.empty() ? std::string("no reason is recorded") : reason);
}

bool is_cut_by_cancel(const Material& material) {
  return std::any_of(material.inputs.begin(), material.inputs.end(), [&](const Input& input) {
    const auto& all = input.run->requests();
    const auto last = std::find_if(all.rbegin(), all.rend(), [&](const Request& one) {
      return (one.type == RequestType::run || one.type == RequestType::compare) &&
             one.lab == material.lab;
    });
    return last != all.rend() && last->status == RequestStatus::cancelled;
  });
}

std::string task_metric_of(const Material& material) {
  const std::string& named = material.options->quality_metric;
  const bool any = std::any_of(material.lines.begin(), material.lines.end(), [&](const Line& line) {
    const QualityCheck* check = line.series->quality();
    return check && check->task.contains(named);
  });
  if (any) return named;
  for (const Line& line : material.lines) {
    const QualityCheck* check = line.series->quality();
    if (check && !check->task.empty()) return check->task.begin()->first;
  }
  return "";
}

std::string task_title(const std::string& metric) {
  return capitalised(name_in_words(metric));
}

std::string task_text(const QualityCheck& check, const std::string& metric) {
  const auto found = check.task.find(metric);
  return found == check.task.end()      ? unavailable("not judged by it")
         : std::isfinite(found->second) ? format_number(found->second, 4)
                                        : unavailable("not a number");
}

std::string short_name(const std::string& kernel) {
  if (std::string command = command_title(kernel); !command.empty()) return command;
  const size_t dot = kernel.rfind('.');
  return dot == std::string::npos ? kernel : kernel.substr(dot + 1);
}

std::string title_of(const std::string& kernel, const Options& options) {
  if (std::string command = command_title(kernel); !command.empty()) return command;
  const auto found = options.titles.find(kernel);
  if (found != options.titles.end()) return found->second;
  const auto original = options.titles.find(std::string(original_of(kernel)));
  return original == options.titles.end() ? kernel : copy_title(original->second);
}

std::string copy_title(const std::string& original) {
  return "your copy of " + original;
}

std::string problem_of(const Series& series) {
  const std::string problem = quality_problem(series);
  if (!problem.empty()) return problem;
  const bool says_more = !series.reason.empty() && series.reason != to_string(series.status);
  const std::string why = says_more ? ": " + series.reason : "";
  switch (series.status) {
    case SeriesStatus::skipped:
      return "skipped" + why;
    case SeriesStatus::cancelled:
      return "cancelled" + why;
    case SeriesStatus::partial:
      return "cut short" + why;
    case SeriesStatus::pending:
      return "not run";
    case SeriesStatus::running:
      return "not finished";
    default:
      break;
  }
  return series.may_show_speed() ? "" : "its output was not checked";
}

bool is_wanted(const Options& options, const std::string& lab, const Params& params) {
  return (options.lab.empty() || lab == options.lab) && agrees(params, options.only);
}

namespace {

/// Trainings of one rung that differ in their seed alone have one speed, as in every other view.
void join_seeds(std::vector<Line>* lines) {
  using Key = std::tuple<const Input*, std::string, Params::Map, std::string, bool>;
  std::map<Key, std::vector<Line*>> trainings;
  for (Line& line : *lines) {
    const Series& series = *line.series;
    if (!line.problem.empty() || !series.params.contains("seed") || !(series.items_per_s > 0))
      continue;
    trainings[{line.input, series.kernel, without_seed(series.params).map(), series.cache.text(),
               line.in_turns}]
        .push_back(&line);
  }
  for (auto& [key, seeds] : trainings) {
    if (seeds.size() < 2) continue;
    std::vector<const Series*> all;
    for (const Line* line : seeds) all.push_back(line->series);
    const auto rates = seed_rates(all, all.front()->kernel, all.front()->params);
    for (Line* line : seeds) line->over_seeds = rates;
  }
}

/// The sustained turns of a side of a comparison; null: it had none.
const SustainedSide* sustained_of(const Run& run, const Series& series) {
  for (const Comparison& one : run.comparisons()) {
    if (one.request != series.request || one.sustained.size() != 2) continue;
    if (one.baseline_index == series.index && one.baseline == series.kernel)
      return &one.sustained[0];
    if (one.candidate_index == series.index && one.candidate == series.kernel)
      return &one.sustained[1];
  }
  return nullptr;
}

/// A verdict of sustained turns stands over speeds of sustained turns, where every rung has them: those of its turns at one
/// clock may say the opposite.
void take_sustained(std::vector<Line>* lines) {
  std::vector<const SustainedSide*> all;
  for (const Line& line : *lines) {
    all.push_back(sustained_of(*line.input->run, *line.series));
    const bool has_turns = all.back() && all.back()->call_ns > 0 && line.series->stats;
    if (line.problem.empty() && !has_turns) return;
  }
  for (size_t i = 0; i < all.size(); ++i) {
    Line& line = (*lines)[i];
    if (!line.problem.empty()) continue;
    line.sustained = all[i];
    Series alone = *line.series;
    alone.stats->median_ns = line.sustained->call_ns;
    alone.stats->ci_ns.reset();  // a median over few turns
    line.on_page_1 = derive(alone, *line.input->run);
  }
}

}  // namespace

std::vector<Line> collect_lines(std::span<const Input> inputs, const Options& options,
                                std::string* shared_params) {
  std::vector<Line> lines;
  std::set<size_t> repeated;  ///< of them: with several results
  for (const Input& input : inputs) {
    std::map<RungKey, size_t> known;
    for (const Series& series : input.run->series()) {
      if (!is_wanted(options, series.lab, series.params)) continue;
      const auto [at, is_new] = known.try_emplace(key_of(series), lines.size());
      if (is_new) {
        lines.push_back({.series = &series, .input = &input});
        continue;
      }
      repeated.insert(at->second);
      if (Line& line = lines[at->second]; replaces(*input.run, series, *line.series))
        line.series = &series;
    }
  }
  for (const size_t at : repeated) {
    Line& line = lines[at];
    const Series& kept = result_of_one_run(*line.input->run, *line.series);
    if (&kept == line.series) continue;
    line.later = line.series;
    line.series = &kept;
  }
  for (Line& line : lines) {
    line.problem = problem_of(*line.series);
    line.in_turns = is_in_turns(*line.input->run, *line.series);
    if (line.problem.empty())
      line.derived = line.on_page_1 = derive(*line.series, *line.input->run);
  }
  join_seeds(&lines);
  take_sustained(&lines);
  const auto place = [&](const Line& line) {
    const auto before = options.previous.find(line.series->kernel);
    const bool is_after = is_edit(line.series->kernel) && before != options.previous.end();
    const std::string& kernel = is_after ? before->second : line.series->kernel;
    const auto at = std::find(options.order.begin(), options.order.end(), kernel);
    // As on page 1: libraries stand behind the rungs of their processor, an edit after its original.
    return std::tuple(backend_of(line.series->kernel) == Backend::cuda, is_library(line),
                      at - options.order.begin(), is_after);
  };
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const Line& a, const Line& b) { return place(a) < place(b); });
  name_lines(&lines, inputs.size() > 1, options, shared_params);
  return lines;
}

Notes notes_of(const Material& material) {
  Notes notes = material.options->notes;
  for (auto input = material.inputs.rbegin(); input != material.inputs.rend(); ++input)
    notes.insert(input->run->notes().begin(), input->run->notes().end());
  return notes;
}

bool is_of_same_pair(const Claim& claim, const Comparison& c) {
  const Comparison& own = claim.comparison;
  return own.baseline == c.baseline && own.candidate == c.candidate && own.cache == c.cache &&
         own.baseline_params == c.baseline_params && own.candidate_params == c.candidate_params;
}

bool is_of_one_rung(const Comparison& comparison) {
  return comparison.baseline == comparison.candidate &&
         comparison.baseline_params == comparison.candidate_params;
}

namespace {

/// The builds of this edit by request. A text that does not say which rung it is belongs to the file that was built before.
std::vector<std::pair<int64_t, const EditBuild*>> builds_of(const Run& run,
                                                            const std::string& edit) {
  std::vector<std::pair<int64_t, const EditBuild*>> builds;
  bool is_ours = false;
  for (const Request& request : run.requests()) {
    const EditBuild* build = request.type == RequestType::build ? run.build(request.id) : nullptr;
    if (build && !build->kernel.empty()) is_ours = build->kernel == edit;
    if (build && is_ours) builds.emplace_back(request.id, build);
  }
  return builds;
}

/// Whether a run of the save itself, alone, failed or gave wrong results.
bool has_failed_since(const Run& run, const std::string& edit, int64_t build) {
  bool has_failed = false;
  for (const Series* series : run.series_of_kernel(edit)) {
    if (series->request < build) continue;
    has_failed = series->status == SeriesStatus::failed ||
                 (series->status == SeriesStatus::ok && !series->quality_passed());
  }
  return has_failed;
}

}  // namespace

std::string last_save_words(const Claim& claim) {
  const Comparison& c = claim.comparison;
  if (!is_edit(c.candidate) || !claim.run) return "";
  const auto builds = builds_of(*claim.run, c.candidate);
  const EditBuild* compared = nullptr;
  for (const auto& [request, build] : builds) {
    if (request < c.request && build->built) compared = build;
  }
  if (!compared || builds.back().first < c.request) return "";
  const auto& [request, last] = builds.back();
  if (!last->built)
    return last->ended_at == BuildEnd::compile ? "does not compile" : "could not be built";
  if (last->hash == compared->hash) return "";
  return has_failed_since(*claim.run, c.candidate, request) ? "failed its check"
                                                            : "has another text";
}

std::string claim_sentence(const Claim& claim, const Options& options) {
  const Comparison& c = claim.comparison;
  const std::string base =
      side_text(title_of(c.baseline, options), c.baseline_params, c.candidate_params, c.size_param);
  const std::string cand = side_text(title_of(c.candidate, options), c.candidate_params,
                                     c.baseline_params, c.size_param);
  if (!claim.paired) {
    return "Nothing is claimed: “" + base + "” and “" + cand +
           "” were measured apart, not in turns, so any difference "
           "between them may come from the machine. " +
           (c.lab == kImportedLab ? "Pairs of libraries or commands are made by “ridgepoint "
                                    "compare”."
            : is_of_one_rung(c)
                ? "To pair two texts of one rung, save one as FILE: “ridgepoint compare " + c.lab +
                      " --edit FILE”."
                : "Compare them in turns, as “Do it again” says.");
  }
  const std::string part = c.trained ? "a training step" : "this part";
  const std::string change = "replacing “" + base + "” by “" + cand + "”";
  const std::string figures =
      fmt::format("{} as fast, 95 % interval {}, {}, margin {}", ratio_text(c.ratio, c.ci),
                  ratio_interval_text(c.ci, c.margin), rests_on(c), format_percent_width(c.margin));
  std::string text;
  switch (claim.decision.verdict) {
    case Verdict::faster:
      text = "Faster: " + change + " makes " + part + " " + figures + ".";
      break;
    case Verdict::slower:
      text = "Slower: " + change + " makes " + part + " " + figures + ".";
      break;
    case Verdict::same:
      text = "Same: " + change + " makes no difference that counts (" + figures + ").";
      break;
    case Verdict::unresolved:
      text = (is_cancelled(c) ? "Cancelled: what " : "Unresolved: what ") + change +
             " brings is not settled (" + figures + ").";
      break;
    case Verdict::invalid:
      text = "Invalid: " + change + " has no valid speed.";
      break;
  }
  if (const std::string last = last_save_words(claim); !last.empty())
    text = "Of an earlier save: the last one " + last + ". " + text;
  text += std::string(kDecisionWord) + decision_words(claim.decision) + ", since " +
          claim.decision.reason + ".";
  if (clocks_disagree(c) && claim.decision.verdict != Verdict::invalid) {
    const PairedVerdict& equal = *c.equal_clock;
    text += fmt::format(" At one clock for both it would be {} ({} {}): see the clocks.",
                        to_string(equal.verdict), ratio_text(equal.ratio, equal.ci),
                        ratio_interval_text(equal.ci, c.margin));
  }
  if (claim.decision.verdict == Verdict::invalid || c.reasons.empty()) return text;
  if (claim.decision.verdict == Verdict::unresolved) return text;  // its reason has them already
  std::string caution;
  for (const std::string& reason : own_reasons(c)) {
    const std::string& reserve = claim.decision.reserve;
    if (!reserve.empty() && reason.ends_with(reserve)) continue;  // the decision has it
    caution += (caution.empty() ? " Caution: " : "; ") + reason;
  }
  return text + (caution.empty() ? "" : caution + ".");
}

}  // namespace ridge::report
