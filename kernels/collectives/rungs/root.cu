// ridge: arch=75
//
// Idea      A kernel can read another GPU's memory as its own. GPU 0 reads all buffers and adds; then the others read the sum.
// Changed   No byte passes the CPU: loads go from GPU to GPU.
// Limits    One GPU's link carries everything: n - 1 buffers in and n - 1 out again, while the others' links wait.
// Look at   The bus bandwidth against the number of ranks: the more there are, the longer GPU 0's link is asked for.
// Source    NVIDIA CUDA C++ Programming Guide, "Peer-to-Peer Memory Access".
#include "common/harness/kernel/cuda_check.h"
#include "kernels/collectives/gpu_meet.h"

namespace {

using namespace ridge;
using namespace ridge::device;

__global__ __launch_bounds__(kThreads) void root_kernel(const __grid_constant__ GpuRank r,
                                                        int64_t vectors) {
  Meetings others(r);
  others.meet();  // every input is there
  const int64_t first = int64_t{blockIdx.x} * kThreads + threadIdx.x,
                step = int64_t{gridDim.x} * kThreads;
  for (int64_t i = first; i < vectors && r.me == 0; i += step) {
    float4 sum = load_there(r.in[0] + 4 * i);
    for (int other = 1; other < r.ranks; ++other) sum = sum + load_there(r.in[other] + 4 * i);
    store_there(r.out[0] + 4 * i, sum);
  }
  others.meet();  // the sum is there
  for (int64_t i = first; i < vectors && r.me != 0; i += step)
    store_there(r.out[r.me] + 4 * i, load_there(r.out[0] + 4 * i));
  others.meet();  // and was read
  others.end();
}

Status call(const GpuRank& rank, HostRanks*, cudaStream_t stream) {
  const int64_t vectors = vectors_of(rank.count);
  root_kernel<<<blocks_for(vectors, 96), kThreads, 0, stream>>>(rank, vectors);
  return RIDGE_CUDA_LAUNCHED(root_kernel);
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_gpus(shape, call, plan);
}

RIDGE_KERNEL(collectives, cuda, root, .may_sync = true, .time_calls = time_gpus,
             .unavailable = gpus_unavailable, .prepare = prepare, .launch = launch_gpus);

}  // namespace
