// Warp specialisation: a block's warpgroups (4 warps) take different parts, with different needs.
#pragma once

#include <cstdint>

namespace ridge::device {

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

}  // namespace ridge::device
