// A Hopper pipeline: the barriers between the warps that load and the warpgroups (4 warps) that multiply, registers
// handed from one to the other, and clusters of blocks that share what they load.
//
// Hopper's barrier object in shared memory (PTX ISA, "mbarrier"): it counts arriving threads and
// bytes still on their way. A phase ends when both counts reach zero; then it arms itself again.
//
// Waiting names the parity of a phase: phase 0, 2, 4 ... have parity 0. A wait for parity p returns
// once the current phase is not of parity p any more. So the ring of a producer and its consumers is
//
//   __shared__ uint64_t full[kStages], empty[kStages];       // 8-byte aligned
//   one thread: mbarrier_init(full + s, 1); mbarrier_init(empty + s, consumers);
//               fence_mbarrier_init();                        then __syncthreads() (or cluster sync)
//   RingPosition<kStages> at;
//   producer:   mbarrier_wait(empty + at.stage, at.parity ^ 1);   // passes at once the first time
//               mbarrier_arrive_expect(full + at.stage, bytes); tma_load_2d(...); at.advance();
//   consumer:   mbarrier_wait(full + at.stage, at.parity); read;
//               mbarrier_arrive(empty + at.stage); at.advance();  // after its last read of the stage
#pragma once

#include "kernels/runtime/cuda/shared.h"

namespace ridge::device {

/// A place in a ring of stages, and the parity of the round it is in.
template <int stages>
struct RingPosition {
  int stage = 0;
  uint32_t parity = 0;
  __device__ void advance() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  /// As advance() so many times.
  __device__ void skip(int count) {
    const int sum = stage + count;
    parity ^= static_cast<uint32_t>(sum / stages) & 1;
    stage = sum % stages;
  }
};

/// By one thread. `arrivals`: how many mbarrier_arrive() (and _expect()) end a phase, 1 to 2^20 - 1.
__device__ inline void mbarrier_init(uint64_t* barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

/// By the thread that initialised, once after all of its barriers and before the block or cluster
/// synchronises: makes them visible to the other CTAs of the cluster and to the copy engine.
__device__ inline void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// One arrival at a barrier of this CTA. Release: what the thread read or wrote before is done.
__device__ inline void mbarrier_arrive(uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
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

/// One arrival that also adds `bytes` to what the phase waits for: before the loads that bring them.
__device__ inline void mbarrier_arrive_expect(uint64_t* barrier, uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

/// True once the phase of that parity is over; may sleep a little before it says no. Acquire.
__device__ inline bool mbarrier_try_wait(uint64_t* barrier, uint32_t parity) {
  uint32_t over;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
      " selp.u32 %0, 1, 0, p; }"
      : "=r"(over)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return over != 0;
}

__device__ inline void mbarrier_wait(uint64_t* barrier, uint32_t parity) {
  while (!mbarrier_try_wait(barrier, parity)) {
  }
}

// ---- warpgroups ----------------------------------------------------------------------------------

/// Hands registers back to the SM, or asks for more, per thread: a multiple of 8, 24 to 256, by all
/// warps of a warpgroup. Needs __launch_bounds__(threads, 1), and roles that are the branches of
/// one if; the sum over the block must not pass 65,536. (PTX ISA, "setmaxnreg")
template <int count>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}

/// A barrier among 128 threads of the block; ids 1 to 15 (0 is __syncthreads).
__device__ inline void warpgroup_sync(int id) {
  asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory");
}

/// Two warpgroups, 0 and 1, take turns: each waits for its own, which the other passes on. Every
/// turn passed must be waited for. A turn orders waiting for mbarriers too: a wait by parity cannot
/// tell a phase from the one two before it, so nobody may begin to wait while the other's phases go
/// by. Barriers 5 and 6.
__device__ inline void wait_for_turn(int group) {
  asm volatile("bar.sync %0, 256;" ::"r"(5 + group) : "memory");
}
__device__ inline void pass_turn_to(int group) {
  asm volatile("bar.arrive %0, 256;" ::"r"(5 + group) : "memory");
}

// ---- clusters: blocks of neighbouring SMs that see each other's shared memory (sm_90) --------------

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
