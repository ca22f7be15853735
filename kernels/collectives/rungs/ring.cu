// ridge: arch=75
//
// Idea      The ring of the processes, in one kernel: each GPU reads the chunk that the one before it has just finished,
//           adds its own, and finishes it in its turn. Then the sums travel round.
// Changed   All links carry a chunk in each step; none carries more than 2 (n - 1) / n buffers in all.
// Limits    2 (n - 1) steps, with a meeting behind each. A GPU reads from one other alone, which a switch does not ask for.
// Look at   Beside two-shot at 64 MiB, where its meetings cost little, and at 4 KiB, where they are nearly all of its time.
// Source    Patarasuk and Yuan, Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations, JPDC 69, 2009.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/collectives/gpu_meet.h"

namespace {

using namespace ridge;
using namespace ridge::device;

/// Chunk `index`, counted round the ring, of `vectors`.
__device__ inline Chunk chunk_at(const GpuRank& r, int64_t vectors, int index) {
  const int c = (index + 2 * r.ranks) % r.ranks;
  const int64_t begin = vectors * c / r.ranks;
  return {begin, vectors * (c + 1) / r.ranks - begin};
}

/// A thread takes the same elements of a chunk in every step and on every rank, so a block needs its own kind alone.
__global__ __launch_bounds__(kThreads) void ring_kernel(const __grid_constant__ GpuRank r,
                                                        int64_t vectors) {
  Meetings others(r);
  const int before = (r.me + r.ranks - 1) % r.ranks;
  const int64_t first = int64_t{blockIdx.x} * kThreads + threadIdx.x,
                step = int64_t{gridDim.x} * kThreads;
  for (int s = 1; s < r.ranks; ++s) {  // the chunk that the rank before finished in its last step
    others.meet();
    const Chunk chunk = chunk_at(r, vectors, r.me - s - 1);
    const float* there = (s == 1 ? r.in : r.out)[before];
    for (int64_t i = chunk.begin + first; i < chunk.begin + chunk.count; i += step)
      store_there(r.out[r.me] + 4 * i, load_there(there + 4 * i) + load_there(r.in[r.me] + 4 * i));
  }
  for (int s = 0; s + 1 < r.ranks; ++s) {
    others.meet();
    const Chunk chunk = chunk_at(r, vectors, r.me - s - 1);
    for (int64_t i = chunk.begin + first; i < chunk.begin + chunk.count; i += step)
      store_there(r.out[r.me] + 4 * i, load_there(r.out[before] + 4 * i));
  }
  others.meet();
  others.end();
}

Status call(const GpuRank& rank, HostRanks*, cudaStream_t stream) {
  const int64_t vectors = vectors_of(rank.count);
  ring_kernel<<<blocks_for(vectors / rank.ranks, 96), kThreads, 0, stream>>>(rank, vectors);
  return RIDGE_CUDA_LAUNCHED(ring_kernel);
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_gpus(shape, call, plan);
}

RIDGE_KERNEL(collectives, cuda, ring, .may_sync = true, .time_calls = time_gpus,
             .unavailable = gpus_unavailable, .prepare = prepare, .launch = launch_gpus);

}  // namespace
