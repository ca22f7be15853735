// ridge: arch=75
//
// Idea      One launch for all steps: as many blocks as fit stay, and between two steps all wait for all.
// Changed   A barrier across the GPU instead of the end of a kernel. Intermediate results still go through
//           memory.
// Limits    The barrier: an atomic, and each block's look at it, through the L2. On an H200 warps wait at barriers for
//           two thirds of the time (height = 32, width = 1024).
// Look at   layers = 8 against 1: the launch is paid once. And that each row only ever needed itself.
// Source    CUDA C++ Programming Guide, "Cooperative Groups, Grid Synchronization"; the counting barrier is
//           that of Xiao and Feng, "Inter-Block GPU Communication via Fast Barrier Synchronization" (2010).
#include <algorithm>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/chain/rungs/steps.h"

namespace {

using namespace ridge;

struct PersistentChain {
  ChainStep step;
  int64_t layers;
  unsigned long long*
      arrived;  ///< counts on from call to call; a whole number of grids between calls
};

__device__ void wait_for_all(unsigned long long* arrived) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const unsigned long long before = atomicAdd(arrived, 1ull);
    const unsigned long long goal = before - before % gridDim.x + gridDim.x;
    unsigned long long now;
    do {
      asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(arrived) : "memory");
    } while (now < goal);
    __threadfence();
  }
  __syncthreads();
}

__global__ void __launch_bounds__(kChainThreads) chain_persistent_kernel(PersistentChain p) {
  __shared__ float slots[2][32];
  ChainStep s = p.step;
  for (int64_t layer = 0; layer < p.layers; ++layer) {
    chain_step<0>(s, slots), wait_for_all(p.arrived);
    chain_step<1>(s, slots), wait_for_all(p.arrived);
    chain_step<2>(s, slots), wait_for_all(p.arrived);
    chain_step<3>(s, slots), wait_for_all(p.arrived);
    chain_step<4>(s, slots), wait_for_all(p.arrived);
    chain_step<5>(s, slots), wait_for_all(p.arrived);
    s.from = s.r.y;
  }
}

struct Barrier {
  unsigned long long* arrived = nullptr;
  float* statistics = nullptr;
  int blocks = 1;
  ~Barrier() { cudaFree(arrived), cudaFree(statistics); }
};

Status prepare(const Shape& shape, Plan* plan) {
  auto* made = new Barrier;
  plan->state = made;
  plan->release = [](void* state) { delete static_cast<Barrier*>(state); };
  plan->workspace_bytes = statistics_bytes(shape);
  int an_sm = 1;
  RIDGE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&an_sm, chain_persistent_kernel,
                                                                 kChainThreads, 0));
  made->blocks =
      static_cast<int>(std::min<int64_t>(shape.dim[kRowsM], int64_t{an_sm} * sm_count()));
  RIDGE_CUDA_CHECK(cudaMalloc(&made->statistics, plan->workspace_bytes));
  RIDGE_CUDA_CHECK(cudaMalloc(&made->arrived, sizeof(unsigned long long)));
  RIDGE_CUDA_CHECK(cudaMemset(made->arrived, 0, sizeof(unsigned long long)));
  RIDGE_CUDA_CHECK(cudaDeviceSynchronize());
  return {};
}

Status launch(const Launch& launch) {
  const auto* made = static_cast<const Barrier*>(launch.plan_state);
  PersistentChain p = {chain_of(launch, made->statistics), launch.shape.dim[kRowsLayers],
                       made->arrived};
  void* arguments[] = {&p};
  RIDGE_CUDA_CHECK(cudaLaunchCooperativeKernel(
      reinterpret_cast<const void*>(chain_persistent_kernel), static_cast<unsigned>(made->blocks),
      kChainThreads, arguments, 0, static_cast<cudaStream_t>(launch.stream)));
  return {};
}

}  // namespace

RIDGE_KERNEL(chain, cuda, persistent, .may_sync = true, .prepare = prepare, .launch = launch);
