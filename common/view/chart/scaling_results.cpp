#include "common/view/chart/scaling_results.h"

#include <algorithm>
#include <tuple>

#include "common/record/params.h"
#include "common/record/seed_delta.h"

namespace ridge::chart::parts {

ScaledProblem problem_of(const SharedResults& shared, const Measured& one) {
  const Scaling& of = shared.of;
  ScaledProblem problem{.work = 1, .beside = without_seed(one.entry.series->params)};
  problem.beside.erase(of.param);
  if (of.work.empty()) return problem;
  const auto count = static_cast<double>(shared.count_of(one));
  problem.work = static_cast<double>(param_int(problem.beside, of.work));
  if (of.is_each && !shared.options.is_weak) problem.work *= count;
  if (!of.is_each && shared.options.is_weak) problem.work /= count;
  problem.beside.erase(of.work);
  return problem;
}

namespace {

/// The result whose problem is shown: where the selected one has a single count, another says more.
const Measured* shown_result(const SharedResults& shared) {
  std::map<std::tuple<std::string, double, std::string>, std::set<int64_t>> counts;
  const auto counts_of = [&](const Measured& one) -> std::set<int64_t>& {
    const ScaledProblem problem = problem_of(shared, one);
    return counts[{one.entry.series->kernel, problem.work, to_string(problem.beside)}];
  };
  for (const Measured& one : shared.results) counts_of(one).insert(shared.count_of(one));
  const auto rank = [&](const Measured& one) {
    const size_t known = shared.is_alone(one) ? 0 : counts_of(one).size();
    const bool is_shown = one.entry.row->selected && one.entry.row->at_size;
    return std::tuple(is_shown && known > 1, known, is_shown);
  };
  const auto best =
      std::max_element(shared.results.begin(), shared.results.end(),
                       [&](const Measured& a, const Measured& b) { return rank(a) < rank(b); });
  return best == shared.results.end() ? nullptr : &*best;
}

void keep_one_problem(SharedResults* shared) {
  const Measured* shown = shown_result(*shared);
  if (!shown) return;
  const ScaledProblem kept = problem_of(*shared, *shown);
  shared->otherwise = std::erase_if(shared->results, [&](const Measured& one) {
    const ScaledProblem problem = problem_of(*shared, one);
    return problem.work != kept.work || !agrees(problem.beside, kept.beside);
  });
}

void add_scaling_curves(SharedResults* shared) {
  std::map<std::tuple<std::string, std::string, bool>, size_t> known;
  for (const Measured& one : shared->results) {
    const Series& series = *one.entry.series;
    const auto waiting = [&](const Measured& alone) {
      return param_int(alone.entry.series->params, shared->of.param);
    };
    if (shared->is_alone(one)) {  // of several the one beside which the fewest wait
      if (!shared->alone || waiting(one) <= waiting(*shared->alone)) shared->alone = &one;
      continue;
    }
    const auto [at, is_new] = known.try_emplace(
        {series.kernel, one.entry.row->origin, series.stale}, shared->curves.size());
    if (is_new) shared->curves.push_back({name_of(one), {}});
    shared->curves[at->second].results[shared->count_of(one)] = &one;  // of several the newest
    shared->counts.insert(shared->count_of(one));
  }
  if (shared->alone) shared->counts.insert(1);
}

}  // namespace

SharedResults shared_results(std::span<const LadderRow> rows, const ScalingOptions& options) {
  SharedResults shared{
      .options = options, .of = options.of, .results = measured_rows(rows, Counted::kCallTime)};
  std::erase_if(shared.results, [&](const Measured& one) { return shared.count_of(one) < 1; });
  shared.elsewhere = keep_selected_processor(&shared.results, rows);
  keep_one_problem(&shared);
  add_scaling_curves(&shared);
  return shared;
}

}  // namespace ridge::chart::parts
