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

}  // namespace

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
    if (!mark.interval) continue;
    widen(mark.interval->low, &range);
    widen(mark.interval->high, &range);
  }
  if (!(range.high > 0)) return;
  const double air = std::max(kLeastAir, std::pow(range.high / range.low, kAir));
  panel->axis.low = range.low / air;
  panel->axis.high = range.high * air;
}

}  // namespace ridge::chart
