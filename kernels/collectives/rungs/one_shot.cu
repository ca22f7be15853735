// ridge: arch=75
//
// Idea      Each GPU writes its whole buffer to every other one, and beside each number a flag: the number of the call.
//           A waiting thread reads numbers and flags together, so the data itself says that it has come.
// Changed   No meeting at all: one way across the link is everything that a small message waits for.
// Limits    Half of what crosses are flags, and every buffer goes to everybody: only for small ones.
// Look at   The time at 4 KiB and 64 KiB beside two_shot's and NCCL's; who crosses whom, and where.
// Source    NCCL's LL protocol: Hu et al., Demystifying NCCL, arXiv 2507.04786.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/collectives/gpu_meet.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int64_t kSlots = kSlotBytes / sizeof(uint4);  // each holds two numbers

__device__ inline void write_flagged(uint4* to, float2 v, uint32_t flag) {
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to),
               "r"(__float_as_uint(v.x)), "r"(flag), "r"(__float_as_uint(v.y)), "r"(flag)
               : "memory");
}

__device__ inline float2 read_flagged(const uint4* from, uint32_t flag) {
  const long long begin = clock64();
  uint4 v;
  do {
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from)
                 : "memory");
    if (clock64() - begin > kPatience) __trap();
  } while (v.y != flag || v.w != flag);
  return {__uint_as_float(v.x), __uint_as_float(v.z)};
}

/// Two turns of slots: who is in call c has everyone's data of call c - 1, so all have read those of call c - 2.
__global__ __launch_bounds__(kThreads) void one_shot_kernel(const __grid_constant__ GpuRank r,
                                                            int64_t pairs) {
  const uint32_t call = *static_cast<volatile uint32_t*>(r.turn) + 1;
  const int64_t turn = (call & 1) * r.ranks * kSlots;
  const int64_t step = int64_t{gridDim.x} * kThreads;
  for (int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x; i < pairs; i += step) {
    const float2 mine = reinterpret_cast<const float2*>(r.in[r.me])[i];
    for (int k = 1; k < r.ranks; ++k)
      write_flagged(r.slots[(r.me + k) % r.ranks] + turn + r.me * kSlots + i, mine, call);
    float2 sum = {0, 0};
    for (int rank = 0; rank < r.ranks; ++rank) {  // in one order: all ranks have the same bits
      const float2 v =
          rank == r.me ? mine : read_flagged(r.slots[r.me] + turn + rank * kSlots + i, call);
      sum.x += v.x, sum.y += v.y;
    }
    reinterpret_cast<float2*>(r.out[r.me])[i] = sum;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(r.turn + 1, 1u) != gridDim.x - 1) return;
  r.turn[1] = 0;  // the last block of the call
  *static_cast<volatile uint32_t*>(r.turn) = call;
}

Status call(const GpuRank& rank, HostRanks*, cudaStream_t stream) {
  const int64_t pairs = (rank.count + 1) / 2;
  one_shot_kernel<<<blocks_for(pairs, sm_count()), kThreads, 0, stream>>>(rank, pairs);
  return RIDGE_CUDA_LAUNCHED(one_shot_kernel);
}

Status prepare(const Shape& shape, Plan* plan) {
  if (shape.dim[kCollectiveCount] > 2 * kSlots) return refuse("takes buffers of 512 KiB at most");
  return prepare_gpus(shape, call, plan);
}

RIDGE_KERNEL(collectives, cuda, one_shot, .may_sync = true, .time_calls = time_gpus,
             .unavailable = gpus_unavailable, .prepare = prepare, .launch = launch_gpus);

}  // namespace
