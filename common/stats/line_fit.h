// A straight line through points whose errors are shares of their values: the delay and the rate behind times of several
// sizes.
#pragma once

#include <optional>
#include <span>

namespace ridge::stats {

struct Point {
  double x = 0, y = 0;  ///< y > 0
};

/// y = at_zero + slope x, neither below 0.
struct Line {
  double at_zero = 0, slope = 0;
  double at(double x) const { return at_zero + slope * x; }
};

/// The line that minimises the sum of squared relative residuals (y - at_zero - slope x) / y: least squares with weights 1 / y^2, as
/// fits an interval that is a share of its time. A delay and a rate are not negative: where one came out so, it is 0 and the
/// other is fitted alone. None: fewer than two values of x, or a y that is not above 0.
std::optional<Line> fit_line(std::span<const Point> points);

}  // namespace ridge::stats
