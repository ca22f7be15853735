#include "app/query/bottlenecks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "app/query/selection.h"
#include "app/query/series_table.h"
#include "app/query/terminal.h"
#include "common/record/derive.h"
#include "common/record/in_turns.h"
#include "common/record/params.h"
#include "common/record/serving.h"
#include "common/view/report/content.h"

namespace ridge::app {
namespace {

/// The lever on this rung's processor, and the later rung of its lab that pulls it.
void take_lever(const std::string& kernel, BottleneckLine* line) {
  line->lever = lever_of(line->entry->cause, backend_of(kernel));
  const Levers levers = line->lab ? levers_of(*line->lab) : Levers();
  const auto later = levers.find({kernel, line->entry->cause});
  line->pulls = later == levers.end() ? nullptr : rung_of(later->second);
}

BottleneckLine line_for(const BottleneckEntry& entry) {
  BottleneckLine line{.entry = &entry,
                      .lab = find_lab(entry.lab),
                      .shown = rung_of(entry.rung),
                      .set = entry.set,
                      .view = entry.view,
                      .pulls = nullptr,
                      .lever = entry.lever,
                      .cases = {}};
  if (line.lab && line.shown) take_lever(entry.rung, &line);
  return line;
}

/// A lever of a CPU is none for a rung of a GPU, nor the other way round.
void keep_processor(BottleneckLine* line) {
  const auto is_of_entry = [&](const BottleneckCase& one) {
    return backend_of(one.kernel) == backend_of(line->entry->rung);
  };
  if (line->cases.empty() || std::any_of(line->cases.begin(), line->cases.end(), is_of_entry))
    return;
  // A rung of ours shows it better than a library, whose source is not here.
  const auto ours = std::find_if(line->cases.begin(), line->cases.end(), [](const auto& one) {
    const Rung* rung = rung_of(original_of(one.kernel));
    return rung && !rung->peer;
  });
  const BottleneckCase& newest = ours == line->cases.end() ? line->cases.front() : *ours;
  const auto [lab, kernel] = lab_and_rung(std::string(original_of(newest.kernel)));
  line->lab = lab, line->shown = rung_of(kernel);
  line->set = {}, line->view = "";
  take_lever(kernel, line);
}

/// "measured: 92.0 % of FMA fp32"; what was not measured has its reason, which begins with the basis, and the shares.
std::string evidence_line(const Diagnosis& diagnosis, Bottleneck cause) {
  Diagnosis told = diagnosis;
  if (diagnosis.bottleneck != cause) {  // it fills the memory beside another cause of the time
    std::erase_if(told.evidence, [](const Utilization& one) {
      return one.name.find("activations") == std::string::npos;
    });
  }
  const std::string shares = evidence_text(told, 2);
  if (diagnosis.basis == Basis::measured) return "measured: " + shares;
  return diagnosis.reason + (shares.empty() ? "" : "; " + shares);
}

/// "its clock was held down to 1317 of 1980 MHz (power cap), then compute"
std::string power_evidence(const Diagnosis& diagnosis) {
  Diagnosis then = diagnosis;
  then.held_down.clear();
  return diagnosis.held_down + ", then " + bottleneck_text(then);
}

void add_case(const std::string& kernel, const Params& params, const Diagnosis& diagnosis,
              BottleneckMap* map) {
  ++map->results;
  if (diagnosis.bottleneck != Bottleneck::not_sure)
    ++map->settled;
  else
    map->open.push_back({kernel, params, diagnosis.basis, diagnosis.reason});
  if (!diagnosis.held_down.empty()) {
    map->power.lever = lever_of(diagnosis, backend_of(kernel));
    map->power.cases.push_back({kernel, params, Basis::measured, power_evidence(diagnosis)});
  }
  for (BottleneckLine& line : map->lines) {
    const Bottleneck cause = line.entry->cause;
    if (!binds(diagnosis, cause)) continue;
    const Basis basis = diagnosis.bottleneck == cause ? diagnosis.basis : Basis::measured;
    line.cases.push_back({kernel, params, basis, evidence_line(diagnosis, cause)});
  }
}

/// Of `params` those that `other` has, with the same value.
Params common_params(const Params& params, const Params& other) {
  Params common;
  for (const auto& [name, value] : params) {
    const auto found = other.find(name);
    if (found != other.end() && found->second == value) common[name] = value;
  }
  return common;
}

/// The parameters that all results have: said once.
Params shared_params(const BottleneckMap& map) {
  std::optional<Params> shared;
  const auto take = [&](const BottleneckCase& one) {
    shared = common_params(one.params, shared.value_or(one.params));
  };
  for (const BottleneckLine& line : map.lines)
    for (const BottleneckCase& one : line.cases) take(one);
  for (const BottleneckCase& one : map.open) take(one);
  return shared.value_or(Params{});
}

/// "cpu.packed n=512": the rung, and what not all results have.
std::string case_name(const BottleneckCase& one, const Params& shared) {
  Params own;
  for (const auto& [name, value] : one.params)
    if (!shared.contains(name)) own[name] = value;
  return short_name(one.kernel) + (own.empty() ? "" : " " + to_string(own));
}

/// Which results of the run are no case since their rung has a newer one; of many the first.
std::string others_line(const BottleneckMap& map) {
  constexpr size_t kFew = 3;
  std::string names;
  size_t count = 0;
  for (const std::string& one : map.others) {
    if (++count <= kFew) names += (names.empty() ? "" : "; ") + one;
  }
  if (names.empty()) return "";
  if (count > kFew) names += fmt::format("; and {} more", count - kFew);
  return "of each rung its newest result; the run also holds, not judged here: " + names + "\n";
}

/// The last lines: how many are settled, of which run, at which size, and which are not.
std::string settled_lines(const BottleneckMap& map, const std::string& run, const Params& shared) {
  std::string text = run + ": " + settled_text(map);
  if (!shared.empty())
    text += std::string(map.results == 1 ? ", at " : ", all at ") + to_string(shared);
  text += "\n";
  text += others_line(map);
  std::string names;
  for (const BottleneckCase& one : map.open)
    names += (names.empty() ? "" : ", ") + case_name(one, shared);
  return names.empty() ? text : text + "not settled: " + names + "\n";
}

/// Whether the ladder shows another result of this rung at its problem: a time of the rung alone, made before.
bool is_hidden_side(const Run& run, const Series& series) {
  if (!is_in_turns(run, series)) return false;
  const auto& all = run.series_of_kernel(series.kernel);
  return std::any_of(all.begin(), all.end(), [&](const Series* other) {
    return other->params == series.params && other->cache == series.cache && !other->stale &&
           !takes_place_of(run, series, *other);
  });
}

}  // namespace

BottleneckMap make_bottleneck_map(const Run* run) {
  BottleneckMap map;
  for (const BottleneckEntry& entry : bottleneck_map()) map.lines.push_back(line_for(entry));
  if (!run) return map;
  std::map<std::string, Params> told;
  std::vector<const Series*> newest;
  for (const Series& series : run->series()) newest.push_back(&series);
  std::reverse(newest.begin(), newest.end());
  for (const Series* series : newest) {
    if (series->stale || is_hidden_side(*run, *series)) continue;
    if (const auto known = told.find(series->kernel); known != told.end()) {
      const Params own = report::differing(series->params, known->second, "");
      if (!own.empty() && series->stats) map.others.insert(to_string(own));
      continue;
    }
    const auto found = diagnose(*series, *run);
    if (!found) continue;
    told[series->kernel] = series->params;
    add_case(series->kernel, series->params, *found, &map);
  }
  std::set<std::string> queues;  // a queue before a rung is another case than the rung
  const auto& served = run->servings();
  for (auto serving = served.rbegin(); serving != served.rend(); ++serving) {
    if (queues.insert(serving->kernel).second)
      add_case(serving->kernel, serving->params, diagnose(*serving), &map);
  }
  for (BottleneckLine& line : map.lines) keep_processor(&line);
  return map;
}

std::string shown_by_text(const BottleneckLine& line) {
  if (!line.lab || !line.shown) return "no lab shows it yet";
  std::string text = std::string(line.shown->kernel) + ", lab " + line.lab->id;
  if (!line.set.empty()) text += ", with " + to_string(line.set);
  if (line.view[0] != '\0') text += std::string(", in the view ") + line.view;
  if (line.pulls) text += std::string("; ") + line.pulls->kernel + " pulls the lever";
  return text;
}

std::string settled_text(const BottleneckMap& map) {
  return fmt::format("{} of {} {} settled", map.settled, map.results,
                     map.results == 1 ? "result is" : "results are");
}

std::string bottleneck_map_text(const BottleneckMap& map, const std::string& run) {
  const Params shared = shared_params(map);
  std::string text;
  const auto add = [&](const char* what, const std::string& words) {
    text += wrapped(std::string("  ") + what + words, text_width(), 4) + "\n";
  };
  if (!map.power.cases.empty()) {
    text += "power, before the cause that a rung has below\n";
    add("lever: ", map.power.lever);
  }
  for (const BottleneckCase& one : map.power.cases)
    add("here: ", case_name(one, shared) + ", " + one.evidence);
  for (const BottleneckLine& line : map.lines) {
    text += std::string(text.empty() ? "" : "\n") + line.entry->name + "\n";
    add("evidence: ", line.entry->evidence);
    add("lever: ", line.lever);
    add("shown by: ", shown_by_text(line));
    if (line.entry->construction[0] != '\0')
      add("without counters: by construction, ", line.entry->construction);
    for (const BottleneckCase& one : line.cases)
      add("here: ", case_name(one, shared) + ", " + one.evidence);
  }
  return text + (map.has_results() ? "\n" + settled_lines(map, run, shared) : "");
}

}  // namespace ridge::app
