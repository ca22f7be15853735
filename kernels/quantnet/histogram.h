// How often an activation was how large, and where to cut it off.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/quantnet/quantnet.h"

namespace ridge::quantnet {

/// Counts of values from 0 to `high` in bins of one width; exact zeros, of which ReLU makes many, are apart.
struct Histogram {
  static constexpr int kBins = 2048;
  std::vector<int64_t> bins;
  int64_t zeros = 0;
  double high = 0;
  double width() const { return high / kBins; }
};

Histogram histogram_of(std::span<const float> values);

/// The value that the highest of `levels` steps should stand for.
///   min_max        the largest there was
///   percentile     above which a share of 1 - `percentile` lies, zeros counted
///   entropy        least Kullback-Leibler divergence of what is left from what there was (Migacz, 8-bit
///                  inference with TensorRT, GTC 2017); zeros, which are exact, do not count
///   least_squares  least squared error of rounding and cutting off together
double clip_of(const Histogram& histogram, Clip clip, int levels, double percentile);

}  // namespace ridge::quantnet
