// Where the level of a history changes: values of one quantity in the order of time, each a result of its own. No model of
// what caused a change, and no level that drifts: between two changes the level stands still.
// Sources: the CUSUM over many intervals is narrowest over threshold (Baranowski, Chen and Fryzlewicz, JRSS B
// 81, 2019) on seeded intervals (Kovacs, Buhlmann, Li and Munk, Biometrika 110, 2023). A value counts no further
// than 2.5 standard deviations from the median of its interval (Huber, Annals of Mathematical Statistics 35, 1964), so that an
// outlier is no change. The noise comes from differences of neighbours, which a change of level hardly touches
// (Hall and Van Keilegom, JRSS B 65, 2003), by the scale Qn (Rousseeuw and Croux, JASA 88, 1993). A change's ratio and its
// interval are Hodges and Lehmann's (Conover, Practical Nonparametric Statistics, 5.4).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/core/interval.h"

namespace ridge::stats {

/// Values that a level needs on either side of a change.
inline constexpr size_t kFewestOfLevel = 5;

struct Change {
  size_t first = 0;  ///< index of the first value at the new level
  /// The new level may begin as early and as late as this: 95 % of such ranges hold the true place.
  size_t earliest = 0, latest = 0;
  double ratio = 1;            ///< new level over old
  std::optional<Interval> ci;  ///< 95 %, of the ratio, given the place; absent: too few values
  double score = 0;            ///< its step over what noise alone makes of so many values
};

struct ChangePoints {
  std::vector<Change> changes;  ///< in the order of time
  double noise = 0;             ///< standard deviation of one value about its level: 0.01 is 1 %
  /// Integrated correlation time of the values about their level; 1: independent.
  double correlation_values = 1;
  /// Why none was looked for, one sentence; empty: it was.
  std::string too_few;
};

/// `values` are positive and finite. False alarms, simulated (tests/bench/statistics.cpp; normal noise, 3 % of outliers): a
/// history of 12 to 200 values without a change has one in fewer than 1 of 100 cases, for independent values and for AR(1)
/// up to 0.5. A history that is looked at again with each new value spends that chance anew. Takes O(n^2) time.
ChangePoints find_changes(std::span<const double> values);

/// The highest score of any split of `values`: what find_changes() holds against limit_of(). For simulations.
double highest_score(std::span<const double> values);
/// The score that a history of `count` values has to pass.
double limit_of(size_t count);

}  // namespace ridge::stats
