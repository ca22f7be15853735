#include "common/view/chart/log_axis.h"

#include <algorithm>
#include <cmath>

namespace ridge::chart {
namespace {

void widen(double value, Interval* range) {
  if (!(value > 0) || !std::isfinite(value)) return;
  range->low = std::min(range->low, value);
  range->high = std::max(range->high, value);
}

/// One whisker must not make all bars tiny: beyond the marks they get so much of a linear axis, so many times a log one's end.
constexpr double kLinearReach = 1.5, kLogReach = 4;

}  // namespace

double axis_end(const std::vector<Mark>& marks) {
  double mark_high = 0, whisker_high = 0;
  for (const Mark& mark : marks) {
    if (!std::isfinite(mark.value)) continue;
    mark_high = std::max(mark_high, mark.value);
    if (mark.interval) whisker_high = std::max(whisker_high, mark.interval->high);
  }
  return std::max(mark_high, std::min(whisker_high, kLinearReach * mark_high));
}

void put_on_log_axis(Panel* panel) {
  constexpr double kLeastAir = 1.25, kAir = 0.06;
  panel->axis.scale = Scale::log;
  Interval range{INFINITY, 0};
  for (Mark& mark : panel->marks) {
    if (mark.marker == Marker::none) {
      mark.marker = Marker::dot;
      mark.dashed = false;  // the baseline is grey and its row says so: hollow is what was recorded
    }
    widen(mark.value, &range);
  }
  if (!(range.high > 0)) return;
  const Interval reach{range.low / kLogReach, range.high * kLogReach};
  for (const Mark& mark : panel->marks) {
    if (!mark.interval) continue;
    widen(std::max(mark.interval->low, reach.low), &range);
    widen(std::min(mark.interval->high, reach.high), &range);
  }
  const double air = std::max(kLeastAir, std::pow(range.high / range.low, kAir));
  panel->axis.low = range.low / air;
  panel->axis.high = range.high * air;
}

}  // namespace ridge::chart
