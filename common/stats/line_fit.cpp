#include "common/stats/line_fit.h"

#include <algorithm>

namespace ridge::stats {
namespace {

/// Sums over the points of w, w x, w x^2, w y and w x y, with w = 1 / y^2.
struct Sums {
  double one = 0, x = 0, xx = 0, y = 0, xy = 0;
};

Sums sums_of(std::span<const Point> points) {
  Sums sums;
  for (const Point& point : points) {
    const double w = 1 / (point.y * point.y);
    sums.one += w;
    sums.x += w * point.x;
    sums.xx += w * point.x * point.x;
    sums.y += w * point.y;
    sums.xy += w * point.x * point.y;
  }
  return sums;
}

}  // namespace

std::optional<Line> fit_line(std::span<const Point> points) {
  const auto usable = [](const Point& point) { return point.y > 0; };
  const auto differs = [&](const Point& point) { return point.x != points.front().x; };
  if (!std::all_of(points.begin(), points.end(), usable)) return std::nullopt;
  if (std::none_of(points.begin(), points.end(), differs)) return std::nullopt;
  const Sums s = sums_of(points);
  const double determinant = s.one * s.xx - s.x * s.x;
  Line line{.at_zero = (s.y * s.xx - s.x * s.xy) / determinant,
            .slope = (s.one * s.xy - s.x * s.y) / determinant};
  if (line.at_zero < 0) line = {.at_zero = 0, .slope = s.xy / s.xx};
  if (line.slope < 0) line = {.at_zero = s.y / s.one, .slope = 0};
  return line;
}

}  // namespace ridge::stats
