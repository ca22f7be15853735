// Which results make a curve of scaling: those of one problem, by their count of ranks or threads.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/record/params.h"
#include "common/view/chart/scaling.h"
#include "common/view/chart/xy_parts.h"

namespace ridge::chart::parts {

/// A rung's results by their count of ranks or threads.
struct ScalingCurve {
  std::string name;
  std::map<int64_t, const Measured*> results;
};

/// Everything that the chart is drawn from. Curves point at the results.
struct SharedResults {
  const ScalingOptions& options;
  const Scaling& of;
  std::vector<Measured> results{};
  std::vector<ScalingCurve> curves{};
  const Measured* alone = nullptr;
  std::set<int64_t> counts{};  ///< the base's first
  size_t elsewhere = 0;        ///< results of another processor
  size_t otherwise = 0;        ///< results of another problem

  bool is_alone(const Measured& one) const { return one.entry.series->kernel == of.alone; }
  int64_t count_of(const Measured& one) const {
    return is_alone(one) ? 1 : param_int(one.entry.series->params, of.param);
  }
  /// Null: it was not measured.
  const Measured* base_of(const ScalingCurve& curve) const {
    const auto found = curve.results.find(*counts.begin());
    return alone ? alone : found == curve.results.end() ? nullptr : found->second;
  }
  bool is_drawn(const ScalingCurve& curve) const {
    const Measured* base = base_of(curve);
    return base && curve.results.rbegin()->second != base;
  }
};

/// What is the same all along a curve: the work of all, or of each, and every other parameter.
struct ScaledProblem {
  double work = 1;
  Params beside;
};
ScaledProblem problem_of(const SharedResults& shared, const Measured& one);

/// `rows` outlive it.
SharedResults shared_results(std::span<const LadderRow> rows, const ScalingOptions& options);

}  // namespace ridge::chart::parts
