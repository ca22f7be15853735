#include "common/stats/serial_share.h"

#include <algorithm>

namespace ridge::stats {

std::optional<SerialShare> serial_share(std::span<const Speedup> points) {
  constexpr size_t kLeastPoints = 3;
  if (points.size() < kLeastPoints) return std::nullopt;
  SerialShare share;
  double squares = 0;
  for (const Speedup& point : points) {
    if (!point.interval || !(point.interval->low > 0)) return std::nullopt;
    const double alone = 1 / point.processors, x = 1 - alone;  // 1 / speedup = alone + s x
    share.value += x * (1 / point.value - alone);
    share.interval.low += x * (1 / point.interval->high - alone);
    share.interval.high += x * (1 / point.interval->low - alone);
    squares += x * x;
  }
  if (!(squares > 0)) return std::nullopt;
  for (double* sum : {&share.value, &share.interval.low, &share.interval.high}) *sum /= squares;
  const bool fits = std::all_of(points.begin(), points.end(), [&](const Speedup& point) {
    const double speedup = 1 / (share.value + (1 - share.value) / point.processors);
    return point.interval->low <= speedup && speedup <= point.interval->high;
  });
  return fits && share.interval.low > 0 ? std::optional(share) : std::nullopt;
}

}  // namespace ridge::stats
