// The GPU rungs on the CUDA cores: a block of four warps attends over a range of keys for one head of queries. A warp
// takes every fourth key, its lanes the elements of the head; then the warps' results meet in shared memory.
#pragma once

#include "kernels/decode/rungs/slots.h"

namespace ridge::device {

constexpr int kKeyWarps = 4, kKeyThreads = 32 * kKeyWarps, kMaxPerLane = 256 / 32;

/// Calls f(c, weighted sum of element c, largest score, sum of weights) for all c, spread over the threads. Scores
/// in units of log2(e). There is at least one key.
template <typename T, typename F>
__device__ void attend_keys(const Decode& a, int64_t sequence, int64_t head, int64_t first,
                            int64_t end, F f) {
  __shared__ float os[kKeyWarps][256], running_maxima[kKeyWarps], sums[kKeyWarps];
  const int d = static_cast<int>(a.d), lane = static_cast<int>(threadIdx.x) % 32,
            warp = static_cast<int>(threadIdx.x) / 32;
  const T* from_q = static_cast<const T*>(a.q) + (sequence * a.heads + head) * d;
  float q[kMaxPerLane], o[kMaxPerLane] = {}, running_max = -INFINITY, sum = 0;
#pragma unroll
  for (int i = 0; i < kMaxPerLane; ++i) {
    const int c = i * 32 + lane;
    q[i] = c < d ? float(from_q[c]) * a.scale * 1.44269504f : 0;
  }
  for (int64_t key = first + warp; key < end; key += kKeyWarps) {
    const int64_t row = decode_row(a, sequence, head / a.group, key) * d;
    const T *k = static_cast<const T*>(a.k) + row, *v = static_cast<const T*>(a.v) + row;
    float score = 0, values[kMaxPerLane];
#pragma unroll
    for (int i = 0; i < kMaxPerLane; ++i) {
      const int c = i * 32 + lane;
      score = fmaf(q[i], c < d ? float(k[c]) : 0, score);
      values[i] = c < d ? float(v[c]) : 0;
    }
    for (int other = 16; other > 0; other /= 2) score += __shfl_xor_sync(~0u, score, other);
    const float now = fmaxf(running_max, score), rescale = fast_exp2(running_max - now), p = fast_exp2(score - now);
    running_max = now;
    sum = fmaf(sum, rescale, p);
#pragma unroll
    for (int i = 0; i < kMaxPerLane; ++i) o[i] = fmaf(o[i], rescale, p * values[i]);
  }
  for (int i = 0; i < kMaxPerLane; ++i) os[warp][i * 32 + lane] = o[i];
  if (lane == 0) running_maxima[warp] = running_max, sums[warp] = sum;
  __syncthreads();
  running_max = -INFINITY, sum = 0;
  for (int w = 0; w < kKeyWarps; ++w) running_max = fmaxf(running_max, running_maxima[w]);
  for (int w = 0; w < kKeyWarps; ++w) sum = fmaf(sums[w], fast_exp2(running_maxima[w] - running_max), sum);
  for (int c = static_cast<int>(threadIdx.x); c < d; c += kKeyThreads) {
    float all = 0;
    for (int w = 0; w < kKeyWarps; ++w) all = fmaf(os[w][c], fast_exp2(running_maxima[w] - running_max), all);
    f(c, all, running_max, sum);
  }
}

}  // namespace ridge::device
