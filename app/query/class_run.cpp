#include "app/query/class_run.h"

#include <algorithm>
#include <utility>

#include "app/query/editing.h"
#include "app/query/series_table.h"
#include "common/record/command.h"
#include "common/record/derive.h"
#include "common/record/edit.h"
#include "common/view/report/content.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

/// Trainings of other seeds are of one problem.
std::string problem_text(Params params, const std::string& size) {
  params.erase("seed");
  return report::differing_params(params, {}, size);
}

/// It takes the place of an older one of the same case.
template <class T, class Same>
void take(T made, Same is_same, std::vector<T>* all) {
  const auto known = std::find_if(all->begin(), all->end(), is_same);
  if (known == all->end())
    all->push_back(std::move(made));
  else
    *known = std::move(made);
}

ClassResult result_of(const Run& run, const Series& series) {
  ClassResult made{.lab = series.lab,
                   .kernel = series.kernel,
                   .problem = problem_text(report::told_params(series), series.size_param),
                   .cache = series.cache.text(),
                   .machine = machine_class(run, series.kernel),
                   .time_ns = series.stats->median_ns,
                   .is_stale = series.stale};
  if (series.flop > 0) {
    made.rate = series.flop / (made.time_ns * 1e-9);
    made.unit = rate_unit(dtype_of(series));
  } else if (const auto item = item_time(series)) {
    made.rate = 1 / item->s;
    made.unit = "items/s";
  }
  return made;
}

/// Of a rung that ran alone and as a side of a comparison the ladder has the first: a comparison has its pair.
void add_results(const Run& run, ClassRun* out) {
  std::set<std::pair<std::string, std::string>> alone;  // kernel and problem
  for (const bool are_sides : {false, true}) {
    for (const Series& series : run.series()) {
      const bool is_side = series.mode == RunMode::compare;
      if (is_side != are_sides || is_edit(series.kernel) || !has_speed(series) ||
          !(series.stats->median_ns > 0) || !series.reduced_from.empty())
        continue;
      ClassResult made = result_of(run, series);
      const std::pair key(made.kernel, made.problem);
      if (is_side && alone.contains(key)) continue;
      if (!is_side) alone.insert(key);
      const auto is_same = [&](const ClassResult& other) {
        return other.lab == made.lab && other.kernel == made.kernel &&
               other.problem == made.problem && other.cache == made.cache;
      };
      take(made, is_same, &out->results);
    }
  }
}

void add_pairs(const Run& run, ClassRun* out) {
  for (const Comparison& one : run.comparisons()) {
    if (one.verdict == Verdict::invalid || is_edit(one.candidate) || is_edit(one.baseline) ||
        is_self_check(one) || !(one.ratio > 0))
      continue;
    ClassPair made{.lab = one.lab,
                   .baseline = one.baseline,
                   .candidate = one.candidate,
                   .problem = problem_text(one.candidate_params, run.size_param(one.candidate)),
                   .cache = one.cache.text(),
                   .machine = machine_class(run, one.candidate),
                   .ratio = one.ratio,
                   .ci = one.ci,
                   .verdict = one.verdict};
    const auto is_same = [&](const ClassPair& other) {
      return other.baseline == made.baseline && other.candidate == made.candidate &&
             other.problem == made.problem && other.cache == made.cache;
    };
    take(made, is_same, &out->pairs);
  }
}

/// As the window has it: solved by a verified comparison that is not slower than what it goes on from; a puzzle by its
/// counts.
void add_exercises(const Run& run, ClassRun* out) {
  for (const Exercise& exercise : known_exercises()) {
    for (const Comparison& one : run.comparisons()) {
      if (!is_edit(one.candidate) || original_of(one.candidate) != exercise.kernel) continue;
      out->tried.insert(exercise.name);
      const bool solves = one.baseline == exercise.after &&
                          (one.verdict == Verdict::faster || one.verdict == Verdict::same);
      if (solves) out->solved.insert(exercise.name);
    }
    for (const Series& series : run.series()) {
      if (is_edit(series.kernel) && original_of(series.kernel) == exercise.kernel)
        out->tried.insert(exercise.name);
    }
    for (const KernelCounts& counts : run.counts()) {
      if (!is_edit(counts.kernel) || original_of(counts.kernel) != exercise.kernel) continue;
      out->tried.insert(exercise.name);
      if (exercise.is_puzzle() && is_solved(counts, exercise.targets))
        out->solved.insert(exercise.name);
    }
  }
}

/// In the window, else as a note of the run; with blanks about it, it is the same name.
std::string typed_name(const Run& run) {
  const auto note = run.notes().find("name");
  const std::string name = !run.learner().empty()      ? run.learner()
                           : note == run.notes().end() ? ""
                                                       : note->second;
  std::string line = one_line(name, kLongestNote);
  line.erase(0, line.find_first_not_of(' '));
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

ClassRun class_run(const Run& run, const std::string& file) {
  ClassRun out;
  out.name = typed_name(run);
  out.utc_s = made_utc_s(run);
  out.changed = run.seals().broken();
  out.is_sealed = run.seals().is_sealed();
  add_results(run, &out);
  add_pairs(run, &out);
  out.foretold = foretold_in(run);
  if (NoiseFloor floor = noise_floor(run); floor.runs() > 0) {
    out.floor_machine = machine_class(run, floor.kernel);
    out.floor = std::move(floor);
  }
  for (const auto& [key, text] : run.notes()) {
    if (const auto studied = studied_note(key, text)) out.studied.push_back(*studied);
  }
  add_exercises(run, &out);
  add_run(run, file, &out.board);
  return out;
}

std::string rung_title(const std::string& kernel) {
  const Rung* rung = rung_of(kernel);
  return rung ? rung->title : short_name(kernel);
}

}  // namespace ridge::app
