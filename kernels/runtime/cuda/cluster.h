// Clusters: blocks of neighbouring SMs that see each other's shared memory, and share what they load. sm_90 and later.
#pragma once

#include "kernels/runtime/cuda/pipeline.h"

namespace ridge::device {

/// This CTA's place in its cluster.
__device__ inline int cluster_rank() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// By every thread of every CTA of the cluster: what one wrote before, all see after. Also needed
/// at the end: a CTA may not exit while others still write into its shared memory.
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}

/// One arrival at the barrier at the same place in CTA `rank` of the cluster (one's own included):
/// this thread's wgmma or TMA reads, already waited for, are over. Says nothing about ordinary
/// accesses: a release at cluster scope would, but it is a MEMBAR.ALL.GPU, and once for each slice
/// of K that cost a third of a product's speed.
__device__ inline void mbarrier_arrive_cluster(uint64_t* barrier, uint32_t rank) {
  asm volatile(
      "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1;"
      " mbarrier.arrive.shared::cluster.b64 _, [remote]; }" ::"r"(shared_address(barrier)),
      "r"(rank)
      : "memory");
}

/// By all lanes of a warp: one arrival at this barrier in each of the cluster's `ctas` CTAs.
template <int ctas>
__device__ inline void mbarrier_arrive_everywhere(uint64_t* barrier) {
  const uint32_t lane = threadIdx.x % 32;
  if (lane < ctas) mbarrier_arrive_cluster(barrier, lane);
}

/// As tma_load_2d(), into every CTA of the cluster whose bit is set in `ctas`, at the same place in its shared
/// memory, completing on the barrier at the same place there. Each of them expects the bytes itself,
/// and all must have freed the stage first.
__device__ inline void tma_load_2d_multicast(void* to, const CUtensorMap* map, int x, int y, uint64_t* full,
                                             uint16_t ctas) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
      "l"(reinterpret_cast<uint64_t>(map)), "r"(x), "r"(y), "r"(shared_address(full)), "h"(ctas)
      : "memory");
}

}  // namespace ridge::device
