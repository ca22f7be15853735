#include "common/view/chart/decimate.h"

#include <algorithm>
#include <cmath>

namespace ridge::chart {
namespace {

struct Bucket {
  bool used = false;
  size_t low = 0, high = 0;  // indices of the extremes
};

}  // namespace

std::vector<Point> decimate(std::span<const Point> points, float x_low, float x_high, int columns) {
  std::vector<Point> kept;
  if (columns < 1 || !(x_low < x_high)) return kept;
  std::vector<Bucket> buckets(static_cast<size_t>(columns));
  const float scale = static_cast<float>(columns) / (x_high - x_low);
  for (size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    if (!(point.x >= x_low && point.x <= x_high) || !std::isfinite(point.y)) continue;
    const int index = std::min(columns - 1, static_cast<int>((point.x - x_low) * scale));
    Bucket& bucket = buckets[static_cast<size_t>(index)];
    if (!bucket.used) bucket = {true, i, i};
    if (point.y < points[bucket.low].y) bucket.low = i;
    if (point.y > points[bucket.high].y) bucket.high = i;
  }
  for (const Bucket& bucket : buckets) {
    if (!bucket.used) continue;
    const auto [first, second] = std::minmax(bucket.low, bucket.high);
    kept.push_back(points[first]);
    if (second != first) kept.push_back(points[second]);
  }
  return kept;
}

}  // namespace ridge::chart
