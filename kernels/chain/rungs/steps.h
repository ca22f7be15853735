// The chain step by step, a kernel each, as a framework calls them: what the launching rungs share. They
// differ in how the same kernels are launched.
//
//   a layer: y = (x or y) + bias;  mean;  1 / deviation;  y = (y - mean) / deviation;  y *= weight;  y = gelu(y)
#pragma once

#include "kernels/runtime/cuda/row_math.h"

namespace ridge {

constexpr int kStepsALayer = 6;

/// What a step works on. Statistics lie in the plan's memory: a row's mean, then its 1 / deviation.
struct ChainStep {
  RowsOf<float> r;
  const float* from;  ///< x in the first layer, then y
  float* statistics;  ///< 2 m
};

template <int step>
__device__ float chain_element(const ChainStep& s, int64_t row, int64_t j, float v) {
  if constexpr (step == 0) return v + s.r.bias[j];
  if constexpr (step == 3) return (v - s.statistics[row]) * s.statistics[s.r.m + row];
  if constexpr (step == 4) return v * s.r.weight[j];
  return device::gelu_of(v);
}

/// f(j, v): element j of the row, 16 bytes a load where rows allow it. What f returns becomes y's, if `writes`.
template <bool writes, class F>
__device__ void for_row(const float* from, float* y, int64_t n, const F& f) {
  const auto first = static_cast<int64_t>(threadIdx.x), step = static_cast<int64_t>(blockDim.x);
  if (n % 4 != 0) {
    for (int64_t j = first; j < n; j += step) {
      const float v = f(j, from[j]);
      if constexpr (writes) y[j] = v;
    }
    return;
  }
  for (int64_t i = first; i < n / 4; i += step) {
    float4 v = reinterpret_cast<const float4*>(from)[i];
    v = {f(4 * i, v.x), f(4 * i + 1, v.y), f(4 * i + 2, v.z), f(4 * i + 3, v.w)};
    if constexpr (writes) reinterpret_cast<float4*>(y)[i] = v;
  }
}

/// A block takes rows until there are none, so that the persistent rung can do with fewer blocks.
template <int step>
__device__ void chain_step(const ChainStep& s, float (*slots)[32]) {
  for (int64_t row = blockIdx.x; row < s.r.m; row += gridDim.x) {
    float* y = s.r.y + row * s.r.n;
    const auto n = static_cast<float>(s.r.n);
    if constexpr (step == 1 || step == 2) {
      device::BlockReduce reduce{slots};
      const float mean = step == 2 ? s.statistics[row] : 0;
      float sum = 0;
      for_row<false>(y, y, s.r.n, [&](int64_t, float v) {
        sum += step == 2 ? (v - mean) * (v - mean) : v;
        return v;
      });
      sum = reduce(sum, device::Plus());
      if (threadIdx.x == 0)
        s.statistics[(step - 1) * s.r.m + row] =
            step == 1 ? sum / n : rsqrtf(sum / n + kRowEpsilon);
      __syncthreads();  // the slots may be written again
    } else {
      for_row<true>(step == 0 ? s.from + row * s.r.n : y, y, s.r.n,
                    [&](int64_t j, float v) { return chain_element<step>(s, row, j, v); });
    }
  }
}

constexpr int kChainThreads = 256;

/// The plan's memory for the statistics.
inline size_t statistics_bytes(const Shape& shape) {
  return 2 * sizeof(float) * static_cast<size_t>(shape.dim[kRowsM]);
}

inline ChainStep chain_of(const Launch& launch, float* statistics) {
  const RowsOf<float> r = typed_rows<float>(launch);
  return {r, r.x, statistics};
}

}  // namespace ridge
