#include "common/view/chart/axis_place.h"

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/view/chart/model.h"

namespace ridge::chart {
namespace {

// Closer than this share of a decade or of a range, neighbouring ticks would read alike.
constexpr double kLeastSpan = 1e-4;

double even(double value, bool log) {
  return log ? std::log(value) : value;
}

double back(double value, bool log) {
  return log ? std::exp(value) : value;
}

}  // namespace

float AxisPlace::px(double value) const {
  const double share = log ? (value > 0 ? std::log(value / low) / std::log(high / low) : 0)
                           : (value - low) / (high - low);
  return low_px + (high_px - low_px) * static_cast<float>(share);
}

double AxisPlace::value(float at_px) const {
  const double share = (at_px - low_px) / (high_px - low_px);
  return log ? low * std::pow(high / low, share) : low + (high - low) * share;
}

bool AxisPlace::holds(float at_px) const {
  return at_px >= std::min(low_px, high_px) && at_px <= std::max(low_px, high_px);
}

Interval AxisPlace::zoomed(float at_px, double factor) const {
  const double at = even(value(at_px), log), from = even(low, log), to = even(high, log);
  const double least = log ? kLeastSpan : kLeastSpan * std::max(std::abs(low), std::abs(high));
  if (factor < 1 && !((to - from) * factor > least)) return {low, high};
  return {back(at + (from - at) * factor, log), back(at + (to - at) * factor, log)};
}

Interval AxisPlace::panned(float by_px) const {
  return {value(low_px - by_px), value(high_px - by_px)};
}

Interval kept_inside(const Interval& wanted, const Interval& whole, bool log) {
  const double low = even(whole.low, log), high = even(whole.high, log);
  double from = even(wanted.low, log), to = even(wanted.high, log);
  // As near to all of it as rounding leaves it is all of it.
  if (!(to - from < (high - low) * (1 - 1e-9))) return whole;
  const double by = from < low ? low - from : to > high ? high - to : 0;
  from += by, to += by;
  return {back(from, log), back(to, log)};
}

double stop_at(const Axis& axis, double place) {
  const double last = static_cast<double>(axis.stops.size()) - 1;
  return axis.stops[static_cast<size_t>(std::clamp(std::round(place), 0.0, last))];
}

std::string axis_text(const Axis& axis, double value) {
  if (!std::isfinite(value)) return "";
  if (axis.is_share) return format_share(value);
  if (axis.scientific) return format_scientific(value);
  if (axis.unit == "s") return format_time_ns(value * 1e9);
  if (!axis.stops.empty()) return format_count(stop_at(axis, value));
  if (axis.unit.empty()) return format_number(value, 4);
  if (axis.unit == "B") return format_bytes(value);
  return format_rate(value, axis.unit);
}

}  // namespace ridge::chart
