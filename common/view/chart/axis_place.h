// Where an axis stands on a laid out chart: from values to pixels and back, and the ranges that zooming
// and panning lead to. Both happen in what the axis is even in: ratios on a logarithmic axis,
// differences on a linear one.
#pragma once

#include <string>

#include "common/record/types.h"

namespace ridge::chart {

struct Axis;

struct AxisPlace {
  double low = 0, high = 1;       ///< of the range that is shown, in the axis's unit
  float low_px = 0, high_px = 1;  ///< where they stand; upright axes have low_px > high_px
  bool log = false;               ///< then 0 < low
  int panel = 0;                  ///< of the model, where it has panels

  float px(double value) const;  ///< beyond the ends too; of what has no place: low_px
  double value(float at_px) const;
  bool holds(float at_px) const;  ///< between its ends

  /// The range after a zoom by `factor` (under 1: closer) that keeps what is at `at_px` there.
  Interval zoomed(float at_px, double factor) const;
  /// The range after everything was moved by `by_px`.
  Interval panned(float by_px) const;
};

/// `wanted` inside of `whole`: as wide as it is where that fits, moved in; else `whole`. `log` as above.
Interval kept_inside(const Interval& wanted, const Interval& whole, bool log);

/// A value as the axis would say it, prefix and unit included: "1.25 ms", "92.0 %", "1.5e-12".
std::string axis_text(const Axis& axis, double value);
/// Of an axis of stops: the one nearest to this place.
double stop_at(const Axis& axis, double place);

}  // namespace ridge::chart
