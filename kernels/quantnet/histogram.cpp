// ridge: flags=-O3
#include "kernels/quantnet/histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridge::quantnet {
namespace {

constexpr int kBins = Histogram::kBins;
/// Clipping points tried, evenly from nearly nothing to the largest value.
constexpr int kTried = 128;

double percentile_clip(const Histogram& histogram, double percentile) {
  const int64_t all =
      std::accumulate(histogram.bins.begin(), histogram.bins.end(), histogram.zeros);
  int64_t below = histogram.zeros;
  for (int i = 0; i < kBins; ++i) {
    below += histogram.bins[size_t(i)];
    if (double(below) >= percentile * double(all)) return histogram.width() * (i + 1);
  }
  return histogram.high;
}

/// Divergence of the first `kept` bins, what is above moved to the last, from the same in `levels` steps. A step's
/// count is spread evenly over those of its bins that hold something.
double divergence(const Histogram& histogram, int kept, int levels) {
  std::vector<double> were(histogram.bins.begin(), histogram.bins.begin() + kept), are(were.size());
  double within = 0, above = 0;
  for (const double count : were) within += count;
  for (int i = kept; i < kBins; ++i) above += double(histogram.bins[size_t(i)]);
  if (!(within > 0)) return HUGE_VAL;
  for (int step = 0; step < levels; ++step) {
    const auto first = size_t(int64_t{kept} * step / levels);
    const auto last = size_t(int64_t{kept} * (step + 1) / levels);
    double sum = 0, filled = 0;
    for (size_t i = first; i < last; ++i) sum += were[i], filled += were[i] > 0 ? 1 : 0;
    for (size_t i = first; i < last; ++i) are[i] = were[i] > 0 ? sum / filled : 0;
  }
  were.back() += above;
  double result = 0;
  for (size_t i = 0; i < were.size(); ++i) {
    if (!(were[i] > 0)) continue;
    if (!(are[i] > 0)) return HUGE_VAL;  // what was cut off fell on a bin that held nothing
    result += were[i] / (within + above) * std::log(were[i] / (within + above) / (are[i] / within));
  }
  return result;
}

double squared_error(const Histogram& histogram, double clip, int levels) {
  const double step = clip / (levels - 1);
  double sum = 0;
  for (int i = 0; i < kBins; ++i) {
    const double x = histogram.width() * (i + 0.5);
    const double near = std::min(std::nearbyint(x / step), double(levels - 1)) * step;
    sum += double(histogram.bins[size_t(i)]) * (x - near) * (x - near);
  }
  return sum;
}

}  // namespace

Histogram histogram_of(std::span<const float> values) {
  Histogram histogram;
  histogram.bins.assign(kBins, 0);
  for (const float x : values) histogram.high = std::max(histogram.high, double(x));
  if (!(histogram.high > 0)) histogram.high = 1;  // nothing fired: any scale is right
  for (const float x : values) {
    if (!(x > 0)) {
      ++histogram.zeros;
      continue;
    }
    const int bin = static_cast<int>(double(x) / histogram.high * kBins);
    ++histogram.bins[size_t(std::min(bin, kBins - 1))];
  }
  return histogram;
}

double clip_of(const Histogram& histogram, Clip clip, int levels, double percentile) {
  if (clip == Clip::min_max) return histogram.high;
  if (clip == Clip::percentile) return percentile_clip(histogram, percentile);
  double best = histogram.high, least = HUGE_VAL;
  for (int tried = 1; tried <= kTried; ++tried) {
    const int kept = kBins * tried / kTried;
    const double at = histogram.width() * kept;
    if (clip == Clip::entropy && kept < levels) continue;
    const double cost = clip == Clip::entropy ? divergence(histogram, kept, levels)
                                              : squared_error(histogram, at, levels);
    if (cost < least) least = cost, best = at;
  }
  return best;
}

}  // namespace ridge::quantnet
