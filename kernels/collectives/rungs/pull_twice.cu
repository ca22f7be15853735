// ridge: arch=75
//
// Idea      Two-shot whose second half reads too: each GPU keeps its sum to itself, and then reads those of the others.
// Changed   Reads alone cross the links, where two-shot mixes reads and writes in one direction.
// Limits    A third meeting, and a pass more over its own memory.
// Look at   Ahead of two-shot at the largest sizes with four ranks, behind it with two and at small ones.
// Source    Our own variation of two_shot, to see which way a link is better asked.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/collectives/gpu_meet.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kUnroll = 4;

template <int ranks>
__device__ inline float4 sum_at(const GpuRank& r, int64_t i) {
  float4 v[ranks];
#pragma unroll
  for (int k = 0; k < ranks; ++k) v[k] = load_there(r.in[(r.me + 1 + k) % ranks] + 4 * i);
#pragma unroll
  for (int k = 1; k < ranks; ++k) v[0] = v[0] + v[k];
  return v[0];
}

/// The sum of chunk `owner`, from there.
__device__ inline void fetch(const GpuRank& r, int owner, int64_t vectors, int64_t first,
                             int64_t step) {
  const int64_t end = vectors * (owner + 1) / r.ranks;
  for (int64_t i = vectors * owner / r.ranks + first; i < end; i += kUnroll * step) {
    float4 v[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (i + u * step < end) v[u] = load_there(r.out[owner] + 4 * (i + u * step));
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (i + u * step < end) store_there(r.out[r.me] + 4 * (i + u * step), v[u]);
    }
  }
}

template <int ranks>
__global__ __launch_bounds__(kThreads) void pull_twice_kernel(const __grid_constant__ GpuRank r,
                                                              int64_t vectors) {
  Meetings others(r);
  others.meet();
  const int64_t first = int64_t{blockIdx.x} * kThreads + threadIdx.x,
                step = int64_t{gridDim.x} * kThreads;
  const int64_t end = vectors * (r.me + 1) / ranks;
  int64_t i = vectors * r.me / ranks + first;
  for (; i + step < end; i += 2 * step) {
    const float4 a = sum_at<ranks>(r, i), b = sum_at<ranks>(r, i + step);
    store_there(r.out[r.me] + 4 * i, a);
    store_there(r.out[r.me] + 4 * (i + step), b);
  }
  if (i < end) store_there(r.out[r.me] + 4 * i, sum_at<ranks>(r, i));
  others.meet();
  for (int k = 1; k < ranks; ++k) fetch(r, (r.me + k) % ranks, vectors, first, step);
  others.meet();
  others.end();
}

Status call(const GpuRank& rank, HostRanks*, cudaStream_t stream) {
  const int64_t vectors = vectors_of(rank.count);
  return by_ranks(rank.ranks, [&](auto ranks) {
    pull_twice_kernel<ranks>
        <<<blocks_for(vectors / ranks, 48), kThreads, 0, stream>>>(rank, vectors);
    return RIDGE_CUDA_LAUNCHED(pull_twice_kernel);
  });
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_gpus(shape, call, plan);
}

RIDGE_KERNEL(collectives, cuda, pull_twice, .may_sync = true, .time_calls = time_gpus,
             .unavailable = gpus_unavailable, .prepare = prepare, .launch = launch_gpus);

}  // namespace
