// The ratio of two sums whose terms were compared in pairs, one after another: a model's time is the sum of its parts'.
#pragma once

#include <optional>
#include <span>

#include "common/record/types.h"

namespace ridge::stats {

/// One term: of the baseline's sum `baseline`, of the candidate's `baseline` / `ratio`.
struct SumTerm {
  double baseline = 0;         ///< > 0, in any unit that all terms share
  double baseline_error = 0;   ///< half the width of its interval, as a share of it
  double ratio = 1;            ///< baseline over candidate, of the term's pairs; > 0
  std::optional<Interval> ci;  ///< of the ratio; absent: there is none, and so none of the sums
};

struct SumRatio {
  double ratio = 1;  ///< the baseline's sum over the candidate's
  std::optional<Interval>
      ci;  ///< about as wide as those of the terms: of 95 % intervals one of 95 %
};

/// The terms' intervals are carried by the method of variance estimates recovery: the candidate's sum is a mean of the terms'
/// candidate / baseline, weighted by the baseline's shares; each end of its interval lies off by the root of the summed
/// squares of what the terms' own ends, and the errors of their shares, move it by. So terms count as independent: each is
/// measured at a time of its own, and what both of its sides share cancels within its pairs. What is measured once and
/// stands in a sum several times has to be one term.
/// Source: Zou and Donner, Construction of confidence limits about effect measures: a general approach, Statistics in
/// Medicine 27 (2008). No terms: 1, without an interval.
SumRatio sum_ratio(std::span<const SumTerm> terms);

/// What an interval of a ratio says at a margin: as judge() of stats.h.
Verdict verdict_at(const std::optional<Interval>& ci, double margin);

}  // namespace ridge::stats
