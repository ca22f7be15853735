#include "common/view/report/climb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "common/core/format.h"
#include "common/record/caution.h"
#include "common/record/clocks.h"
#include "common/record/command.h"
#include "common/record/edit.h"
#include "common/record/in_turns.h"
#include "common/record/one_run.h"
#include "common/record/params.h"
#include "common/record/processor_share.h"
#include "common/record/ratio_text.h"
#include "common/record/seed_delta.h"
#include "common/record/stale_words.h"
#include "common/record/step_down.h"
#include "common/view/chart/climb.h"
#include "common/view/chart/ladder.h"
#include "common/view/report/other_sizes.h"
#include "common/view/report/pair_order.h"

namespace ridge::report {
namespace {

bool was_run(const Line& line) {
  const SeriesStatus status = line.series->status;
  return status != SeriesStatus::skipped && status != SeriesStatus::pending;
}

/// Whether a parameter says how a rung computes, not what: rungs that differ in it do the same work.
bool is_of_rung(const std::string& name) {
  return name == "dtype" || name == "threads" || name == "seed";
}

/// The parameters of the problem that a result is of.
Params problem_of_rung(const Series& series) {
  Params::Map params = without_own(series).map();
  std::erase_if(params, [](const auto& item) { return is_of_rung(item.first); });
  return params;
}

/// The lines of one family at one set of the problem's parameters.
struct Group {
  std::string family;
  Params problem;
  bool is_bare = false;  ///< the results have no parameter at all
  std::vector<const Line*> lines{};
};

/// Whether two results are of one problem: they share a parameter and differ in none that both have, or have one family.
bool is_one_problem(const Group& a, const Group& b) {
  size_t shared = 0;
  for (const auto& [name, value] : a.problem) {
    const auto found = b.problem.find(name);
    if (found == b.problem.end()) continue;
    if (found->second != value) return false;
    ++shared;
  }
  return shared > 0 || (a.is_bare && b.is_bare) || a.family == b.family;
}

/// What every line is asked about every other. A sweep has ten thousand of them, so groups are asked instead.
class Problems {
 public:
  explicit Problems(const Material& material) : first_(material.lines.data()) {
    std::map<std::tuple<std::string, Params::Map, bool>, size_t> known;
    for (const Line& line : material.lines) {
      const Series& series = *line.series;
      const Params problem = problem_of_rung(series);
      const std::string family(ridge::family_of(series.kernel));
      const bool is_bare = problem.empty() && without_own(series).empty();
      const auto [at, is_new] = known.try_emplace({family, problem.map(), is_bare}, groups_.size());
      if (is_new) groups_.push_back({family, problem, is_bare});
      groups_[at->second].lines.push_back(&line);
      group_of_line_.push_back(at->second);
      for (const auto& [name, value] : series.params) values_[{series.lab, name}].insert(value);
    }
  }
  const Params& of(const Line& line) const { return group_of(line).problem; }
  /// Whether results of the line's lab have other values of the parameter.
  bool has_several(const Line& line, const std::string& name) const {
    const auto found = values_.find({line.series->lab, name});
    return found != values_.end() && found->second.size() > 1;
  }
  /// Of one problem with the line, in their own order.
  std::set<const Line*> like(const Line& line) const {
    std::set<const Line*> lines;
    for (const Group& group : groups_) {
      if (is_one_problem(group, group_of(line)))
        lines.insert(group.lines.begin(), group.lines.end());
    }
    return lines;
  }

 private:
  const Group& group_of(const Line& line) const {
    return groups_[group_of_line_[static_cast<size_t>(&line - first_)]];
  }
  const Line* first_;
  std::vector<Group> groups_;
  std::vector<size_t> group_of_line_;
  std::map<std::pair<std::string, std::string>, std::set<ParamValue>> values_;
};

/// Of two results of one rung the one nearer to the pivot's own settings.
size_t likeness(const Series& series, const Series& pivot) {
  size_t equal = 0;
  for (const auto& [name, value] : pivot.params) {
    const auto found = series.params.find(name);
    equal += found != series.params.end() && found->second == value;
  }
  return equal;
}

bool is_side(const Line& line) {
  return line.is_baseline || line.is_candidate;
}

/// The results of the pivot's case, one for each rung; two files: the two sides alone.
std::vector<const Line*> lines_like(const Material& material, const Problems& problems,
                                    const Line& pivot) {
  std::set<const Line*> candidates = problems.like(pivot);
  for (const Line& line : material.lines) {
    if (is_side(line) && is_side(pivot)) candidates.insert(&line);
  }
  std::vector<const Line*> lines;
  for (const Line* candidate : candidates) {
    const Line& line = *candidate;
    const bool is_forced = is_side(line) && is_side(pivot);
    if (!is_forced) {
      const bool same = line.input == pivot.input && line.series->lab == pivot.series->lab &&
                        line.series->cache == pivot.series->cache && material.inputs.size() == 1 &&
                        backend_of(line.series->kernel) == backend_of(pivot.series->kernel);
      if (!same) continue;
    }
    const auto known = std::find_if(lines.begin(), lines.end(), [&](const Line* other) {
      return other->series->kernel == line.series->kernel && other->input == line.input;
    });
    if (known == lines.end() || (is_forced && is_side(**known))) {
      lines.push_back(&line);
    } else if (is_forced || (!is_side(**known) && likeness(*line.series, *pivot.series) >
                                                      likeness(*(*known)->series, *pivot.series))) {
      *known = &line;
    }
  }
  return lines;
}

/// The parameters of the problem that other results of its family have other values of.
Params own_case(const Problems& problems, const Line& line) {
  Params own;
  for (const auto& [name, value] : problems.of(line)) {
    if (problems.has_several(line, name)) own[name] = value;
  }
  return own;
}

/// "n=4096", "n=4096, cold caches": what tells the line's case from the others.
std::string where_of(const Material& material, const Problems& problems, const Line& line) {
  std::string text = differing_params(own_case(problems, line), {}, line.series->size_param);
  const bool one_cache =
      std::all_of(material.lines.begin(), material.lines.end(),
                  [&](const Line& other) { return other.series->cache == line.series->cache; });
  if (!one_cache) text += (text.empty() ? "" : ", ") + line.series->cache.text() + " caches";
  return text;
}

/// How many parameters it takes to say which case this is: fewer are plainer.
size_t plainness(const Params& own, const Line& line) {
  const std::string text = differing_params(own, {}, line.series->size_param);
  return static_cast<size_t>(std::count(text.begin(), text.end(), '='));
}

/// Results of one set of parameters, and how much page 1 could say of them.
struct Case {
  const Line* line = nullptr;
  std::pair<size_t, size_t> results{};     ///< verified, compared
  std::tuple<bool, long, int64_t> size{};  ///< the default one, then the plainest, then the largest
};

Case case_of(const Material& material, const Problems& problems, const Line& line) {
  Case made{.line = &line};
  for (const Line* other : lines_like(material, problems, line))
    made.results.first += other->problem.empty();
  for (const Claim& claim : material.claims)
    made.results.second += claim.paired && claim.comparison.candidate_params == line.series->params;
  made.size = {is_default_size(line), -static_cast<long>(plainness(own_case(problems, line), line)),
               param_int(line.series->params, line.series->size_param)};
  return made;
}

/// Cases in which the same two, not both libraries, were compared are told apart by their size, not by how many other rungs ran: each counts as
/// the fullest of them, unless it has less than half of its rungs.
void level_sizes(const Material& material, std::vector<Case>* cases) {
  std::map<std::pair<std::string, std::string>, std::vector<Case*>> by_pair;
  for (Case& one : *cases) {
    for (const Claim& claim : material.claims) {
      const Comparison& c = claim.comparison;
      const bool has_rung = claim.paired && !is_library_side(claim, c.candidate);
      if (has_rung && c.candidate_params == one.line->series->params)
        by_pair[{c.baseline, c.candidate}].push_back(&one);
    }
  }
  std::map<Case*, std::pair<size_t, size_t>> levelled;
  for (const auto& [pair, met] : by_pair) {
    const Case* fullest =
        *std::max_element(met.begin(), met.end(),
                          [](const Case* a, const Case* b) { return a->results < b->results; });
    for (Case* one : met) {
      if (2 * one->results.first >= fullest->results.first)
        levelled[one] = std::max(levelled[one], fullest->results);
    }
  }
  for (const auto& [one, results] : levelled) one->results = std::max(one->results, results);
}

/// What page 1 is best about: the candidate of the one comparison, else the case with the most verified rungs; of
/// several the one with the most comparisons, then that of the default size, then the plainest, then the largest.
const Line* pivot_of(const Material& material, const Problems& problems) {
  if (material.is_of_pair) {
    for (const Line& line : material.lines) {
      if (line.is_candidate) return &line;
    }
  }
  std::vector<Case> cases;
  std::set<std::tuple<const Input*, std::string, std::string, std::string, Params::Map>> seen;
  for (const Line& line : material.lines) {
    const Series& series = *line.series;
    if (series.lab != material.lab || !was_run(line)) continue;
    // Rungs of one case have one score.
    if (!seen.insert({line.input, series.cache.text(), backend_of(series.kernel).text(),
                      std::string(ridge::family_of(series.kernel)), series.params.map()})
             .second)
      continue;
    cases.push_back(case_of(material, problems, line));
  }
  level_sizes(material, &cases);
  const auto best = std::max_element(cases.begin(), cases.end(), [](const Case& a, const Case& b) {
    return std::tie(a.results, a.size) < std::tie(b.results, b.size);
  });
  return best == cases.end() ? nullptr : best->line;
}

/// The verified rung of the climb that this one goes on from; null: it is the first of its ladder.
const Line* before(const Material& material, const Climb& climb, const Line& line) {
  const auto usable_line = [&](const Line* other) {
    return other->problem.empty() && rate_of(*other) && !is_library(*other) &&
           why_no_step(*other, *material.options).empty();
  };
  // What is no step at these parameters was compared with it all the same: a pair before a ratio of two times alone.
  const auto is_met = [&](const Line* other) {
    const Claim* claim = claim_of(material, *other, line);
    return claim && claim->paired && rate_of(*other) && !is_library(*other);
  };
  const auto& previous = material.options->previous;
  if (previous.empty()) {
    const Line* found = nullptr;
    for (const Line* other : climb.lines) {
      if (other == &line) return found;
      if (usable_line(other)) found = other;
    }
    return nullptr;
  }
  std::string kernel = line.series->kernel;
  for (size_t steps = 0; steps < previous.size(); ++steps) {
    const auto at = previous.find(kernel);
    if (at == previous.end()) return nullptr;
    kernel = at->second;
    for (const Line* other : climb.lines) {
      if (other->series->kernel != kernel) continue;
      if (usable_line(other) || is_met(other)) return other;
    }
  }
  return nullptr;
}

double rate_value(const Line& line) {
  const auto rate = rate_of(line);
  return rate ? rate->value : 0;
}

/// The rung that the steps to this one begin with.
const Line* start_of(const Material& material, const Climb& climb, const Line& line) {
  const Line* start = &line;
  for (size_t i = 0; i < climb.lines.size(); ++i) {
    const Line* earlier = before(material, climb, *start);
    if (!earlier) break;
    start = earlier;
  }
  return start;
}

/// Whether no rung of its ladder is faster.
bool is_top(const Material& material, const Climb& climb, const Line& line) {
  const Line* start = start_of(material, climb, line);
  return std::none_of(climb.lines.begin(), climb.lines.end(), [&](const Line* other) {
    return !is_library(*other) && rate_value(*other) > rate_value(line) &&
           start_of(material, climb, *other) == start;
  });
}

/// Whether a ladder of this unit holds one type alone: operations of another type are of other worth, images are not.
bool has_one_type(const Climb& climb) {
  return climb.unit == "FLOP/s";
}

/// One axis and one ceiling are of one type of number: rungs and libraries of another, which are no step of this ladder,
/// are in the appendix.
void leave_out_types(const Material& material, Climb* climb) {
  std::set<std::string> types = {""};  // a look-up table has none
  for (const Line* line : climb->lines) {
    if (is_side(*line) || (!is_library(*line) && start_of(material, *climb, *line) == climb->first))
      types.insert(dtype_of(*line->series));
  }
  std::erase_if(climb->lines, [&](const Line* line) {
    const bool is_other = line->problem.empty() && !types.contains(dtype_of(*line->series));
    if (is_other) climb->left_out["in another type of number"].push_back(line);
    return is_other;
  });
}

/// Page 1 is one sheet: rungs of other ladders and libraries of other types, the last first, make way for those of the
/// ladder that is climbed. The top of each ladder stays.
void leave_out_others(const Material& material, Climb* climb) {
  constexpr size_t kMostRows = 15;
  std::vector<const Line*> left_out;
  for (size_t i = climb->lines.size(); i-- > 0 && climb->lines.size() > kMostRows;) {
    const Line* line = climb->lines[i];
    const bool is_other = is_library(*line) ? climb->best && !is_of_one_type(*line, *climb->best)
                                            : start_of(material, *climb, *line) != climb->first &&
                                                  !is_top(material, *climb, *line);
    if (!is_other || !line->problem.empty() || is_side(*line)) continue;
    climb->lines.erase(climb->lines.begin() + static_cast<std::ptrdiff_t>(i));
    left_out.insert(left_out.begin(), line);
  }
  if (!left_out.empty())
    climb->left_out["of another ladder, for which this page has no room"] = left_out;
}

/// Rungs that were measured in another case alone: page 1 is of one problem on one processor.
void leave_out_cases(const Material& material, const Line& pivot, Climb* climb) {
  if (material.is_of_pair || material.inputs.size() != 1) return;
  std::set<std::string> known;
  for (const Line* line : climb->lines) known.insert(line->series->kernel);
  for (const Line& line : material.lines) {
    const Series& series = *line.series;
    if (series.lab != material.lab || !was_run(line) || !known.insert(series.kernel).second)
      continue;
    const bool is_other_processor = backend_of(series.kernel) != backend_of(pivot.series->kernel);
    climb
        ->left_out[is_other_processor ? "measured on another processor"
                                      : "measured at another problem or size"]
        .push_back(&line);
  }
}

/// The ladder's own rungs, then what a learner wrote, then what others wrote.
void put_in_order(Climb* climb) {
  const auto place = [](const Line* line) {
    return is_library(*line) ? 2 : is_edit(line->series->kernel) ? 1 : 0;
  };
  std::stable_sort(climb->lines.begin(), climb->lines.end(),
                   [&](const Line* a, const Line* b) { return place(a) < place(b); });
}

/// By their own rates; of equal ones the earlier stays before.
void put_fastest_first(std::vector<const Line*>* lines) {
  std::stable_sort(lines->begin(), lines->end(),
                   [](const Line* a, const Line* b) { return rate_value(*a) > rate_value(*b); });
}

/// The longest of the ladders (one for each type, say) is the one that is climbed.
void find_ends(const Material& material, Climb* climb) {
  std::vector<std::pair<const Line*, const Line*>> steps;  // where its ladder begins, and the rung
  for (const Line* line : climb->lines) {
    const bool is_step = why_no_step(*line, *material.options).empty();
    if (is_library(*line) || !rate_of(*line) || !is_step) continue;
    steps.emplace_back(start_of(material, *climb, *line), line);
  }
  // A learner's copy is a step beside the ladder, unless nothing else was measured.
  const auto is_own = [](const auto& one) { return is_edit(one.second->series->kernel); };
  if (!std::all_of(steps.begin(), steps.end(), is_own)) std::erase_if(steps, is_own);
  size_t most = 0;
  for (const auto& [start, line] : steps) {
    const auto count = static_cast<size_t>(
        std::count_if(steps.begin(), steps.end(),
                      [&, &start = start](const auto& one) { return one.first == start; }));
    if (count <= most) continue;
    most = count;
    climb->first = start;
  }
  if (!climb->first) return;
  climb->unit = rate_of(*climb->first)->unit;
  std::vector<const Line*> rungs, libraries;
  for (const auto& [start, line] : steps) {
    if (start == climb->first && rate_of(*line)->unit == climb->unit) rungs.push_back(line);
  }
  put_fastest_first(&rungs);
  climb->fastest_alone = rungs.front();
  climb->best = fastest_by_pairs(material, rungs);
  for (const Line* line : climb->lines) {
    const auto rate = is_library(*line) ? rate_of(*line) : std::nullopt;
    if (rate && rate->unit == climb->unit && is_of_one_type(*line, *climb->best))
      libraries.push_back(line);
  }
  put_fastest_first(&libraries);
  climb->fastest_library_alone = libraries.empty() ? nullptr : libraries.front();
  climb->library = fastest_by_pairs(material, libraries);
  std::erase_if(libraries,
                [&](const Line* line) { return !pair_of(material, *line, *climb->best); });
  climb->paired_library = std::count(libraries.begin(), libraries.end(), climb->library) > 0
                              ? climb->library
                              : fastest_by_pairs(material, std::move(libraries));
  // Of two that are as fast the one that the fastest rung was compared with.
  if (climb->paired_library && climb->library &&
      are_level(material, *climb->paired_library, *climb->library))
    climb->library = climb->paired_library;
}

/// The highest speed of the page, where it is that of a rung that is no step of the ladder that is climbed.
void find_longer_bar(const Material& material, Climb* climb) {
  if (!climb->best) return;
  double most = rate_value(*climb->fastest_alone);
  const std::string alone = format_number(most);
  for (const Line* line : climb->lines) {
    const auto rate = rate_of(*line);
    if (is_library(*line) || is_edit(line->series->kernel) || !rate) continue;
    if (rate->unit != climb->unit || rate->value <= most) continue;
    if (format_number(rate->value) == alone) continue;  // no reader sees that it is longer
    const bool is_step = why_no_step(*line, *material.options).empty();
    if (is_step && start_of(material, *climb, *line) == climb->first) continue;
    most = rate->value;
    climb->longer_bar = line;
    climb->is_longer_bar_no_step = !is_step;
  }
}

/// Of a ladder of two types each that is not the fastest rung's is named; of more the titles tell them, unless its bars
/// count operations, which are of other worth in each type.
bool names_types(const Climb& climb) {
  std::set<std::string> types;
  for (const Line* line : climb.lines) types.insert(dtype_of(*line->series));
  return types.size() == 2 || (types.size() > 2 && has_one_type(climb));
}

std::string climb_label(const Climb& climb, const Line& line, const Line& pivot,
                        const Options& options) {
  std::string label = title_of(line.series->kernel, options);
  const std::string type = dtype_of(*line.series);
  const bool is_other = type != dtype_of(*pivot.series) && names_types(climb);
  if (is_other && label.find(type) == std::string::npos) label += " · " + type;
  if (line.input != pivot.input) label += " · " + line.input->name;
  return with_stale(std::move(label), line.series->stale);
}

std::string short_problem(const Line& line) {
  const QualityCheck* check = line.series->quality();
  if (check && !check->passed) return "✕ check failed, no speed";
  constexpr std::string_view kFailed = "failed: ";
  if (!line.problem.starts_with(kFailed)) return line.problem;
  const std::string reason = line.problem.substr(kFailed.size());
  return "✕ " + reason.substr(0, reason.find(": ")) + ", no speed";  // the appendix has all of it
}

std::optional<Ceiling> shared_ceiling_of(const Climb& climb) {
  std::optional<Ceiling> shared;
  if (climb.unit != "FLOP/s") return shared;
  for (const Line* line : climb.lines) {
    if (!line->problem.empty() || !line->on_page_1.compute) continue;
    for (const Ceiling& one : line->input->run->ceilings()) {
      if (one.name != line->on_page_1.compute->name) continue;
      if (shared && (shared->name != one.name || shared->value != one.value)) return std::nullopt;
      shared = one;
    }
  }
  return shared;
}

/// Of medians over seeds no one result has the range, nor have sustained turns.
std::optional<Interval> range_between(const Line& from, const Line& to) {
  const bool has_both = from.series->stats && to.series->stats;
  if (!has_both || from.sustained || to.sustained || from.over_seeds || to.over_seeds)
    return std::nullopt;
  return alone_range(*from.series->stats, *to.series->stats);
}

}  // namespace

bool is_of_one_type(const Line& library, const Line& rung) {
  const bool has_type = !rung.series->dtype.empty() || rung.series->params.contains("dtype");
  return !has_type || dtype_of(*library.series) == dtype_of(*rung.series);
}

std::string why_no_step(const Line& line, const Options& options) {
  return options.why_no_step ? options.why_no_step(line.series->kernel, line.series->params) : "";
}

std::string quoted_title(const Line& line, const Options& options) {
  return "“" + title_of(line.series->kernel, options) + "”";
}

std::string some_titles(const std::vector<const Line*>& lines, const Options& options) {
  constexpr size_t kMost = 3;
  std::string text;
  for (size_t i = 0; i < lines.size() && i < kMost; ++i)
    text += (i == 0 ? "" : ", ") + quoted_title(*lines[i], options);
  if (lines.size() > kMost) text += fmt::format(" and {} more", lines.size() - kMost);
  return text;
}

std::optional<Throughput> rate_of(const Line& line) {
  if (!line.problem.empty() || is_trap(line)) return std::nullopt;
  auto rate = throughput_of(*line.series);
  if (rate && rate->unit == "items/s" && line.over_seeds) rate->value = line.over_seeds->median;
  if (rate && line.sustained)
    rate->value *= line.series->stats->median_ns / line.sustained->call_ns;
  if (!rate || !std::isfinite(rate->value) || !(rate->value > 0)) return std::nullopt;
  return rate;
}

std::string unit_in_words(const Line& line, const std::string& unit, const Options& options) {
  if (unit != "items/s" || options.order.empty()) return unit_in_type(unit, *line.series);
  const auto own = options.items_of.find(std::string(ridge::family_of(line.series->kernel)));
  if (own != options.items_of.end()) return own->second + "/s";
  const QualityCheck* check = line.series->quality();
  const bool is_judged = check && check->task.contains(options.quality_metric);
  const bool is_main =
      ridge::family_of(line.series->kernel) == ridge::family_of(options.order.front());
  return is_judged || is_main || options.per_item ? options.items + "/s" : unit;
}

std::string apart_words(const Line& a, const Line& b) {
  if (a.input != b.input) return "in different files";
  return is_of_one_run(*a.series, *b.series) ? "" : apart_text(*a.input->run, *a.series, *b.series);
}

bool was_alone(const Line& line) {
  return !line.in_turns || line.sustained;
}

std::string timed_words(const Line& line) {
  if (line.sustained) return ", sustained";
  return line.in_turns ? ", in turns" : "";
}

bool is_refused(const Material& material, const Line& from, const Line& to) {
  const Claim* claim = claim_of(material, from, to);
  return claim && (!claim->paired || claim->decision.verdict == Verdict::invalid);
}

std::optional<Step> step_between(const Material& material, const Line& from, const Line& to) {
  if (is_refused(material, from, to)) return std::nullopt;
  const Claim* claim = claim_of(material, from, to);
  if (claim && claim->comparison.ratio > 0 && std::isfinite(claim->comparison.ratio))
    return Step{.ratio = claim->comparison.ratio, .claim = claim};
  const auto low = rate_of(from), high = rate_of(to);
  if (!low || !high || low->unit != high->unit || !apart_words(from, to).empty())
    return std::nullopt;
  const double ratio = high->value / low->value;
  const auto range = range_between(from, to);
  const std::string text = range ? alone_range_text(*range) : "";
  return Step{
      ratio, nullptr, was_alone(from) && was_alone(to),
      text.empty() ? alone_ratio_text(ratio, *from.series->stats, *to.series->stats) : text};
}

namespace {

/// The pairs of the steps from the first rung to the fastest; none where a step has no valid pair.
std::vector<Comparison> pairs_of_way(const Material& material, const Climb& climb) {
  std::vector<Comparison> pairs;
  for (const Line* line = climb.best; line != climb.first;) {
    const Line* from = before(material, climb, *line);
    const Claim* claim = from ? claim_of(material, *from, *line) : nullptr;
    if (!claim || !claim->paired || claim->decision.verdict == Verdict::invalid) return {};
    pairs.push_back(claim->comparison);
    line = from;
  }
  return pairs;
}

/// How many times as fast the fastest rung is by its steps' pairs.
std::optional<Step> chained_steps(const Material& material, const Climb& climb) {
  const auto chain = chain_of(pairs_of_way(material, climb));
  if (!chain) return std::nullopt;
  return Step{.ratio = chain->ratio, .text = gain_text(*chain, 0).ratio, .chain = chain};
}

}  // namespace

bool is_unsettled_way(const Material& material, const Climb& climb) {
  const std::vector<Comparison> pairs = pairs_of_way(material, climb);
  return pairs.size() > 1 && std::all_of(pairs.begin(), pairs.end(), [](const Comparison& pair) {
           return supported_verdict(at_equal_clock(pair)) == Verdict::unresolved;
         });
}

std::optional<Step> way_of(const Material& material, const Climb& climb) {
  if (is_refused(material, *climb.first, *climb.best)) return std::nullopt;
  const auto direct = step_between(material, *climb.first, *climb.best);
  if (direct && direct->claim) return direct;
  if (is_unsettled_way(material, climb)) return std::nullopt;
  const auto chained = chained_steps(material, climb);
  return chained ? chained : direct;
}

std::optional<SeedMean> mean_over_seeds(const Line& line, const std::string& metric) {
  if (!line.over_seeds) return {};
  return seed_mean(line.input->run->series().pointers(), line.series->kernel, line.series->params,
                   metric);
}

bool has_medians_over_seeds(const Climb& climb) {
  return std::any_of(climb.lines.begin(), climb.lines.end(),
                     [](const Line* line) { return line->over_seeds.has_value(); });
}

Climb climb_of(const Material& material) {
  Climb climb;
  const Problems problems(material);
  const Line* pivot = pivot_of(material, problems);
  if (!pivot) return climb;
  for (const Line* line : lines_like(material, problems, *pivot)) {
    if (was_run(*line)) {
      climb.lines.push_back(line);
    } else {
      ++climb.not_run;
    }
  }
  climb.elsewhere = material.lines.size() - climb.lines.size() - climb.not_run;
  if (climb.elsewhere > 0 && material.inputs.size() == 1)
    climb.where = where_of(material, problems, *pivot);
  leave_out_cases(material, *pivot, &climb);
  find_ends(material, &climb);
  if (climb.first && has_one_type(climb)) leave_out_types(material, &climb);
  leave_out_others(material, &climb);
  find_longer_bar(material, &climb);
  if (!material.is_of_pair) put_in_order(&climb);
  return climb;
}

std::string step_words(const Step& step) {
  if (!step.claim)
    return step.text + " as fast, " + (step.is_alone ? "each timed alone" : "timed apart");
  const Comparison& c = step.claim->comparison;
  return fmt::format("{} as fast, 95 % interval {}, {}: {}", headline_ratio_text(c),
                     ratio_interval_text(c.ci, c.margin), rests_on(c), verdict_words(*step.claim));
}

namespace {

chart::ClimbStep climb_step(const Step& step, const Line& from, const Line& to,
                            const Options& options) {
  chart::ClimbStep made{.ratio = step.ratio, .from = title_of(from.series->kernel, options)};
  const auto &before = from.series->stats, &after = to.series->stats;
  made.is_noisy = !before || !after || is_rough_ratio(*before, *after);
  made.range = range_between(from, to);
  if (step.claim) {
    made.verdict = step.claim->decision.verdict;
    made.interval = step.claim->comparison.ci;
    made.margin = step.claim->comparison.margin;
    made.equal_clock = lacks_sustained(step.claim->comparison);
    made.is_alone_rough =
        !apart_words(from, to).empty() || is_noisy_quotient(*from.series, *to.series);
    const bool have_bars = was_alone(from) && was_alone(to);
    if (have_bars || !made.is_alone_rough) made.alone = rate_value(to) / rate_value(from);
  }
  made.is_clear = chart::are_clear(*from.series, *to.series);
  if (chart::is_step_down(made))
    made.why =
        why_slower(*from.series, *to.series, to.input->run->ceilings(),
                   to.input->run->environment(), step.claim ? &step.claim->comparison : nullptr);
  return made;
}

/// Among bars of rungs alone a time in turns is no bar: what came of the pair is its step.
void leave_out_bar(const std::string& unit, chart::ClimbRow* row) {
  if (!row->rate) return;
  row->reason = "only " + kTimedInTurns + ": " + format_rate(*row->rate, unit);
  row->rate.reset();
}

/// Its bar is not the longest.
void mark_fastest_in_pairs(std::vector<chart::ClimbRow>* rows) {
  for (chart::ClimbRow& row : *rows) {
    if (row.is_best)
      row.sublabel += (row.sublabel.empty() ? "" : "; ") + std::string("fastest in pairs");
  }
}

/// What the badges have no room for: why steps go down, and where the pair and the bars disagree. Page 1 has room for a
/// sentence each, without details; the appendix says what holds each rung back.
std::vector<std::string> step_bullets(const std::vector<chart::ClimbRow>& rows) {
  std::map<std::string, std::string> down;  // reason: rungs
  std::string apart;
  const auto add = [](std::string* names, const std::string& name) {
    *names += (names->empty() ? "“" : ", “") + name + "”";
  };
  for (const chart::ClimbRow& row : rows) {
    if (!row.step || !row.rate) continue;
    const std::string& why = row.step->why.sentence;
    if (chart::bars_disagree(*row.step))
      add(&apart, row.label);
    else if (chart::is_step_down(*row.step))
      add(&down[why.substr(0, why.find(';'))], row.label);
  }
  std::string slower;
  for (const auto& [why, names] : down) slower += (slower.empty() ? "" : "; ") + names + ", " + why;
  std::vector<std::string> bullets;
  if (!slower.empty()) bullets.push_back("Slower than the rung before: " + slower + ".");
  if (!apart.empty())
    bullets.push_back("≠ at " + apart +
                      ": in turns it is another way round than by the bars, each measured alone; "
                      "the pair counts.");
  return bullets;
}

/// Which rungs were measured and have no row here, and why: "Measured, but not in this ladder: “fp32” (in another type of
/// number). The appendix has them."
std::string left_out_sentence(const Climb& climb, const Options& options) {
  std::string text;
  for (const auto& [why, lines] : climb.left_out)
    text += (text.empty() ? "" : "; ") + some_titles(lines, options) + " (" + why + ")";
  return text.empty() ? ""
                      : "Measured, but not in this ladder: " + text + ". The appendix has them.";
}

/// "mean of 8 seeds": what a column of this metric holds; empty: each is of one seed.
std::string means_words(const Climb& climb, const std::string& task) {
  std::set<int> seeds;
  for (const Line* line : climb.lines) {
    if (const auto mean = mean_over_seeds(*line, task)) seeds.insert(mean->seeds);
  }
  return seed_means_text(seeds);
}

/// A reader takes the longer bar for the faster rung, which a pair may contradict.
std::string bars_note(const Material& material, const Climb& climb) {
  const bool has_pairs = std::any_of(material.claims.begin(), material.claims.end(),
                                     [](const Claim& claim) { return claim.paired; });
  const bool any_alone = std::any_of(climb.lines.begin(), climb.lines.end(), [](const Line* line) {
    return !line->in_turns && rate_of(*line);
  });
  return has_pairs && any_alone ? "Bars are of times alone. Which of two is faster is decided only "
                                  "by a pair, whose two "
                                  "sides run in turns."
                                : "";
}

}  // namespace

Section climb_section(const Material& material, const Climb& climb, bool has_line_for_about) {
  const Options& options = *material.options;
  Section section{.id = "climb", .title = "The ladder, step by step", .in_handout = true};
  const OwnSides own = own_sides_of(material);
  const bool is_two_bars = material.is_of_pair && climb.lines.size() == 2;
  if (is_two_bars) section.title = "The two, side by side";
  if (!own.many.empty()) section.title = "The " + own.many;
  if (!climb.where.empty() && material.is_of_pair)  // else the headline says it
    section.paragraphs = {"All rungs at " + climb.where +
                          ". Results at other parameters are in the appendix."};
  else if (!options.about.empty() && !material.is_of_pair && has_line_for_about)
    section.paragraphs = {options.about + " Each rung is checked before it is timed."};
  const Line& pivot = climb.best ? *climb.best : *climb.lines.front();
  if (const std::string note = bars_note(material, climb); !note.empty())
    section.paragraphs.push_back(note);
  const bool is_of_two =
      material.is_of_pair && std::any_of(climb.lines.begin(), climb.lines.end(),
                                         [](const Line* line) { return line->is_candidate; });
  const bool all_in_turns = std::all_of(climb.lines.begin(), climb.lines.end(),
                                        [](const Line* line) { return line->in_turns; });
  chart::ClimbOptions chart_options{.unit = unit_in_words(pivot, climb.unit, options),
                                    .ceiling = shared_ceiling_of(climb),
                                    .has_sentences = true};
  if (is_two_bars) chart_options.step_from = "the baseline";
  const std::string task = task_metric_of(material);
  if (!task.empty()) chart_options.columns = {{task_title(task), means_words(climb, task), task}};
  if (all_in_turns) chart_options.timed = "in turns";
  if (pivot.sustained) chart_options.timed = "sustained turns, each alone";
  if (has_medians_over_seeds(climb)) chart_options.timed += ", medians over seeds";
  std::vector<chart::ClimbRow> rows;
  for (const Line* line : climb.lines) {
    chart::ClimbRow row{.label = climb_label(climb, *line, pivot, options)};
    const auto rate = rate_of(*line);
    if (rate && rate->unit == climb.unit) row.rate = rate->value;
    row.reason = row.rate                 ? ""
                 : !line->problem.empty() ? short_problem(*line)
                 : rate                   ? "counted in " + rate->unit
                                          : "no time per call was measured";
    row.interval = climb.unit == "FLOP/s" ? line->on_page_1.flop_per_s_ci
                   : climb.unit == "B/s"  ? line->on_page_1.bytes_per_s_ci
                   : line->over_seeds     ? line->over_seeds->ci
                                          : item_rate_interval(*line->series);
    if (const QualityCheck* check = line->series->quality(); check && !task.empty()) {
      const auto mean = mean_over_seeds(*line, task);
      row.cells = {mean ? format_number(mean->mean, 4) : task_text(*check, task)};
    }
    row.is_peer = is_library(*line);
    row.is_best = !is_of_two && line == climb.best;
    row.selected = is_of_two && line->is_candidate;
    row.is_baseline = line->is_baseline && material.is_of_pair;
    row.hatched = line->series->stale || !line->series->reduced_from.empty();
    if (row.rate) row.no_step = why_no_step(*line, options);
    const bool can_step = !row.is_peer && row.rate && row.no_step.empty();
    const Line* from = can_step ? before(material, climb, *line) : nullptr;
    const auto step = from ? step_between(material, *from, *line) : std::nullopt;
    row.is_refused = from && is_refused(material, *from, *line);
    if (from && !(step && step->claim))
      row.no_ratio = row.is_refused ? "not judged" : apart_words(*from, *line);
    if (step && row.no_ratio.empty()) {
      row.step = climb_step(*step, *from, *line, options);
      row.step->from = climb_label(climb, *from, pivot, options);  // as its own row is called
    }
    if (line->in_turns && !all_in_turns) leave_out_bar(climb.unit, &row);
    if (row.rate && line->series->stats) row.sublabel = caution_of(*line->series->stats);
    if (is_of_two && row.sublabel.empty() && (line->is_baseline || line->is_candidate))
      row.sublabel = line->is_candidate ? "candidate" : "baseline";
    row.other_unit =
        chart_options.ceiling &&
        line->on_page_1.compute.value_or(Utilization()).name != chart_options.ceiling->name;
    rows.push_back(std::move(row));
  }
  if (const std::string shared = chart::take_shared_words(&rows); !shared.empty())
    chart_options.timed += ", all " + shared;
  if (climb.best != climb.fastest_alone) mark_fastest_in_pairs(&rows);
  section.chart = chart::climb_chart(rows, chart_options);
  section.bullets = step_bullets(rows);
  if (const std::string left_out = left_out_sentence(climb, options); !left_out.empty())
    section.bullets.push_back(left_out);
  section.table = Table{.columns = section.chart->table.columns, .rows = section.chart->table.rows};
  section.table_behind = true;
  return section;
}

std::vector<ClimbedRung> climbed_rungs(const Material& material, const Climb& climb) {
  const Options& options = *material.options;
  std::vector<ClimbedRung> rungs;
  for (const Line* line : climb.lines) {
    if (is_library(*line) || is_trap(*line)) continue;
    ClimbedRung rung{.kernel = line->series->kernel, .title = {}, .speed = {}};
    rung.title = with_stale(title_of(rung.kernel, options), line->series->stale);
    const auto rate = rate_of(*line);
    rung.speed =
        rate ? format_rate(rate->value, unit_in_words(*line, rate->unit, options))
             : unavailable(line->problem.empty() ? "no usable time per call" : line->problem);
    const auto& flop = line->on_page_1.flop_per_s_ci;
    if (rate && rate->unit == "FLOP/s" && flop)
      rung.speed += ", 95 % interval " +
                    format_rate_interval(flop, unit_in_words(*line, rate->unit, options));
    if (const Line* from = before(material, climb, *line)) {
      rung.from = from->series->kernel;
      rung.from_title = title_of(rung.from, options);
      const auto step = rate ? step_between(material, *from, *line) : std::nullopt;
      if (step) rung.step = step_words(*step);
      rung.is_paired = step && step->claim;
      if (rung.is_paired) rung.verdict = step->claim->decision.verdict;
    }
    if (const auto cause = cause_of(material, *line); cause && rate)
      rung.bound = cause->what + (cause->evidence.empty() ? "" : ": " + cause->evidence);
    rungs.push_back(std::move(rung));
  }
  return rungs;
}

}  // namespace ridge::report
