// ridge: arch=75
//
// Idea      Each GPU owns a chunk: it reads that chunk of all buffers, adds, and writes the sum into all results. One pass.
// Changed   Two meetings instead of a chain of steps, and reads and writes cross the links at the same time. A thread
//           starts with another rank on every GPU, so that no GPU is asked by all at once.
// Limits    The link, each way: (n - 1) / n buffers are read and as many written. Two meetings, a few microseconds, at small sizes.
// Look at   Bus bandwidth at 64 MiB and more beside NCCL's; the time at 4 KiB beside one_shot's.
// Source    The two-shot all-reduce of TensorRT-LLM and vLLM (custom_all_reduce).
#include "common/harness/kernel/cuda_check.h"
#include "kernels/collectives/gpu_meet.h"

namespace {

using namespace ridge;
using namespace ridge::device;

/// `unroll` vectors of each rank's buffer are on their way at once.
template <int ranks, int unroll>
__device__ inline void reduce_and_spread(const GpuRank& r, int64_t i, int64_t step) {
  float4 v[ranks][unroll];
#pragma unroll
  for (int k = 0; k < ranks; ++k) {
    const float* there = r.in[(r.me + 1 + k) % ranks];
#pragma unroll
    for (int u = 0; u < unroll; ++u) v[k][u] = load_there(there + 4 * (i + u * step));
  }
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
    float4 sum = v[0][u];
#pragma unroll
    for (int k = 1; k < ranks; ++k) sum = sum + v[k][u];
#pragma unroll
    for (int k = 0; k < ranks; ++k)
      store_there(r.out[(r.me + 1 + k) % ranks] + 4 * (i + u * step), sum);
  }
}

template <int ranks, int unroll>
__global__ __launch_bounds__(kThreads) void two_shot_kernel(const __grid_constant__ GpuRank r,
                                                            int64_t vectors) {
  Meetings others(r);
  others.meet();  // every input is there, and every result may be written
  const int64_t end = vectors * (r.me + 1) / ranks, step = int64_t{gridDim.x} * kThreads;
  int64_t i = vectors * r.me / ranks + int64_t{blockIdx.x} * kThreads + threadIdx.x;
  for (; i + (unroll - 1) * step < end; i += unroll * step)
    reduce_and_spread<ranks, unroll>(r, i, step);
  for (; i < end; i += step) reduce_and_spread<ranks, 1>(r, i, step);
  others.meet();
  others.end();
}

Status call(const GpuRank& rank, HostRanks*, cudaStream_t stream) {
  const int64_t vectors = vectors_of(rank.count);
  const unsigned blocks = blocks_for(vectors / rank.ranks, sm_count());
  return by_ranks(rank.ranks, [&](auto ranks) {
    two_shot_kernel<ranks, ranks <= 4 ? 4 : 2><<<blocks, kThreads, 0, stream>>>(rank, vectors);
    return RIDGE_CUDA_LAUNCHED(two_shot_kernel);
  });
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_gpus(shape, call, plan);
}

RIDGE_KERNEL(collectives, cuda, two_shot, .may_sync = true, .time_calls = time_gpus,
             .unavailable = gpus_unavailable, .prepare = prepare, .launch = launch_gpus);

}  // namespace
