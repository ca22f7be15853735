// Put before a rung's text by the compiler (-include) for its copy with clock stamps (common/harness/kernel/stamps.h).
// The headers of the Hopper pipeline come first, as they are; then macros lead the rung's calls of their primitives to
// functions that call them between two readings of the SM's clock. The rung's file knows nothing of it, and no rung
// includes this header.
//
// One thread of each warpgroup stamps: the first. In the rungs with roles the producer is the first thread of its
// warpgroup too. Only the blocks of one SM have somewhere to write; the others pay for the readings alone. The thread
// that makes the barriers ready (fence_mbarrier_init()) asks for the block's room, before the block synchronises.
//
// Where a thread stands in its room lies in shared memory: 16 bytes a warpgroup, which the rung's own leave free.
#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "common/harness/kernel/cuda_check.h"
#include "common/harness/kernel/stamps.h"
#include "kernels/runtime/cuda/cluster_gemm.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/store_strips.h"
#include "kernels/runtime/cuda/tensor_gemm.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace ridge::device {

// No unnamed namespace here: the rung has one, and nvcc's launchers cannot tell two of them apart.
static __device__ StampRing stamp_ring;

/// Where a warpgroup's next stamp goes. `next` null: this block writes none.
struct StampCursor {
  ClockStamp *next, *end;
};
struct StampState {
  StampCursor cursor[kStampLanes];
  StampRing::Block* block;
};
static __shared__ StampState stamp_state;

__device__ __forceinline__ uint64_t stamp_clock() {
  uint64_t now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}
__device__ __forceinline__ uint64_t stamp_ns() {
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

/// By one thread, before the block synchronises: room for the block, if this is the SM.
__device__ inline void stamp_begin() {
  uint32_t sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  for (StampCursor& cursor : stamp_state.cursor) cursor = {nullptr, nullptr};
  stamp_state.block = nullptr;
  if (static_cast<int>(sm) != stamp_ring.sm) return;
  int slot = atomicAdd(&stamp_ring.blocks, 1);
  if (slot >= kStampBlocks && stamp_ring.keeps_first) return;
  slot %= kStampBlocks;
  StampRing::Block& block = stamp_ring.block[slot];
  block.index = static_cast<int>(blockIdx.x);
  block.first_ns = stamp_ns();
  block.first_clock = stamp_clock();
  stamp_state.block = &block;
  for (int lane = 0; lane < kStampLanes; ++lane) {
    ClockStamp* first = stamp_ring.stamps[slot][lane];
    stamp_state.cursor[lane] = {first, first + kStampsOfLane};
  }
}

__device__ __forceinline__ void stamp(StampKind kind, uint64_t begin, uint64_t end, int pending = 0) {
  if (threadIdx.x % 128 != 0) return;
  const int lane = static_cast<int>(threadIdx.x) / 128;
  StampCursor& cursor = stamp_state.cursor[lane];
  ClockStamp* next = cursor.next;
  if (next == nullptr) return;
  if (next == cursor.end) {
    ++stamp_state.block->dropped[lane];
    return;
  }
  next->begin = begin << ClockStamp::kShift | static_cast<uint64_t>(kind);
  next->end = end << ClockStamp::kShift | static_cast<uint64_t>(pending);
  cursor.next = next + 1;
}

/// The clock and the time of a moment late in the block: with those of its beginning they give the clock's rate.
__device__ __forceinline__ void stamp_rate() {
  if (threadIdx.x != 0 || stamp_state.block == nullptr) return;
  stamp_state.block->last_ns = stamp_ns();
  stamp_state.block->last_clock = stamp_clock();
}

template <typename Work>
__device__ __forceinline__ void stamp_around(StampKind kind, Work work, int pending = 0) {
  const uint64_t begin = stamp_clock();
  work();
  stamp(kind, begin, stamp_clock(), pending);
}

// ---- the primitives, each between two readings -----------------------------------------------------

__device__ inline void stamped_fence_mbarrier_init() {
  fence_mbarrier_init();
  stamp_begin();
}
__device__ __forceinline__ void stamped_mbarrier_wait(uint64_t* barrier, uint32_t parity) {
  stamp_around(StampKind::wait, [&] { mbarrier_wait(barrier, parity); });
}
__device__ __forceinline__ void stamped_tma_load_2d(void* to, const CUtensorMap* map, int x, int y, uint64_t* full) {
  stamp_around(StampKind::load, [&] { tma_load_2d(to, map, x, y, full); });
}
template <typename Element, int n>
__device__ __forceinline__ void stamped_load_b(unsigned char* to, const CUtensorMap* map, int column, int k,
                                               uint64_t* full) {
  stamp_around(StampKind::load, [&] { load_b<Element, n>(to, map, column, k, full); });
}
template <typename Element, int n, int ctas>
__device__ __forceinline__ void stamped_load_b_multicast(unsigned char* to, const CUtensorMap* map, int column, int k,
                                                         uint64_t* full) {
  stamp_around(StampKind::load, [&] { load_b_multicast<Element, n, ctas>(to, map, column, k, full); });
}
__device__ __forceinline__ void stamped_wgmma_fence() {
  const uint64_t now = stamp_clock();
  stamp(StampKind::fence, now, now);
  wgmma_fence();
}
template <int pending>
__device__ __forceinline__ void stamped_wgmma_wait() {
  stamp_around(StampKind::drain, [] { wgmma_wait<pending>(); }, pending);
}
__device__ __forceinline__ void stamped_wait_for_turn(int group) {
  stamp_around(StampKind::turn, [&] { wait_for_turn(group); });
}
__device__ __forceinline__ void stamped_pass_turn_to(int group) {
  pass_turn_to(group);
  const uint64_t now = stamp_clock();
  stamp(StampKind::pass, now, now);
}
template <typename Element, int n, typename... Arguments>
__device__ __forceinline__ void stamped_store_strips(Arguments&&... arguments) {
  stamp_around(StampKind::store, [&] { store_strips<Element, n>(std::forward<Arguments>(arguments)...); });
  stamp_rate();
}
template <typename Element, int n, typename... Arguments>
__device__ __forceinline__ void stamped_store_registers(Arguments&&... arguments) {
  stamp_around(StampKind::store, [&] { store_registers<Element, n>(std::forward<Arguments>(arguments)...); });
  stamp_rate();
}
template <int pending>
__device__ __forceinline__ void stamped_bulk_wait_read() {
  stamp_around(StampKind::store, [] { bulk_wait_read<pending>(); });
}

static Status stamp_ring_at(void** at) {
  RIDGE_CUDA_CHECK(cudaGetSymbolAddress(at, stamp_ring));
  return {};
}

}  // namespace ridge::device

#define fence_mbarrier_init stamped_fence_mbarrier_init
#define mbarrier_wait stamped_mbarrier_wait
#define tma_load_2d stamped_tma_load_2d
#define load_b stamped_load_b
#define load_b_multicast stamped_load_b_multicast
#define wgmma_fence stamped_wgmma_fence
#define wgmma_wait stamped_wgmma_wait
#define wait_for_turn stamped_wait_for_turn
#define pass_turn_to stamped_pass_turn_to
#define store_strips stamped_store_strips
#define store_registers stamped_store_registers
#define bulk_wait_read stamped_bulk_wait_read

// The copy registers itself as one: under another id, in a section that no list of rungs reads.
#undef RIDGE_KERNEL
#define RIDGE_KERNEL(family_, backend_, trick_, ...)                                       \
  static constexpr ::ridge::KernelDesc ridge_kernel_desc = {                               \
      .id = #family_ "." #backend_ "." #trick_ "_stamped",                                 \
      .backend = ::ridge::Backend::backend_,                                               \
      .isa = RIDGE_ISA,                                                                    \
      .arch = RIDGE_ARCH,                                                                  \
      .arch_exact = RIDGE_ARCH_EXACT,                                                      \
      __VA_ARGS__};                                                                        \
  static constexpr ::ridge::StampedDesc ridge_stamped_desc = {                             \
      #family_ "." #backend_ "." #trick_, &ridge_kernel_desc, ridge::device::stamp_ring_at}; \
  RIDGE_REGISTER("ridge_stamped", ::ridge::StampedDesc, ridge_stamped_desc)
