// Thread block clusters (sm_90): CTAs of neighbouring SMs that see each other's shared memory.
#pragma once

#include "kernels/runtime/cuda/mbarrier.h"

namespace ridge::device {

/// This CTA's place in its cluster.
__device__ inline uint32_t cluster_rank() {
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// By every thread of every CTA of the cluster: what one wrote before, all see after. Also needed
/// at the end: a CTA may not exit while others still write into its shared memory.
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}

/// By all lanes of a warp: one arrival at this barrier in each of the cluster's `ctas` CTAs.
template <int ctas>
__device__ inline void mbarrier_arrive_everywhere(uint64_t* barrier) {
  const uint32_t lane = threadIdx.x % 32;
  if (lane < ctas) mbarrier_arrive_cluster(barrier, lane);
}

}  // namespace ridge::device
