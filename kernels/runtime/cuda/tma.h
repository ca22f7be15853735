// Hopper's tensor memory accelerator (PTX ISA, "Data Movement: cp.async.bulk.tensor"): one thread
// asks for a box of a matrix, the copy engine moves it. sm_90 and later.
//
// The map comes from encode_tensor_map() (kernels/runtime/cuda/tensor_map.h) and reaches the kernel by
// value: `const __grid_constant__ CUtensorMap map`. x counts columns (the contiguous dimension), y
// rows. What lies outside the matrix reads as zero, still counts its bytes towards the barrier, and
// is not written by a store: tails need no code. Boxes in shared memory are aligned to 128 bytes, or
// to 1024 with the 128-byte swizzle.
#pragma once

#include <cuda.h>

#include "kernels/runtime/cuda/shared.h"

namespace ridge::device {

/// By one thread, early: the first load need not fetch the descriptor.
__device__ inline void tma_prefetch_map(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(reinterpret_cast<uint64_t>(map)) : "memory");
}

/// By one thread: the box at (x, y) into `to`; completes on `full`, which expects the box's bytes
/// (mbarrier_arrive_expect, once for all boxes of a stage).
__device__ inline void tma_load_2d(void* to, const CUtensorMap* map, int x, int y, uint64_t* full) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
      "l"(reinterpret_cast<uint64_t>(map)), "r"(x), "r"(y), "r"(shared_address(full))
      : "memory");
}

/// The same into every CTA of the cluster whose bit is set in `ctas`, at the same place in its shared
/// memory, completing on the barrier at the same place there. Each of them expects the bytes itself,
/// and all must have freed the stage first.
__device__ inline void tma_load_2d_multicast(void* to, const CUtensorMap* map, int x, int y,
                                             uint64_t* full, uint16_t ctas) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
      "l"(reinterpret_cast<uint64_t>(map)), "r"(x), "r"(y), "r"(shared_address(full)), "h"(ctas)
      : "memory");
}

/// By one thread: a box from shared memory to (x, y). If ordinary stores filled it: in each writing
/// thread fence_shared_for_async(), then a barrier, then this, then bulk_commit().
__device__ inline void tma_store_2d(const CUtensorMap* map, int x, int y, const void* from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
                   reinterpret_cast<uint64_t>(map)),
               "r"(x), "r"(y), "r"(shared_address(from))
               : "memory");
}

/// Closes the group of the stores that this thread has asked for since the last one.
__device__ inline void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// By the thread that stored: at most `pending` of its groups have still to read shared memory; the
/// others' boxes may be overwritten (by others only after a barrier behind this).
template <int pending>
__device__ inline void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

/// The same until they are written: needed only if this kernel reads them again. The end of the
/// kernel waits by itself.
template <int pending>
__device__ inline void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(pending) : "memory");
}

}  // namespace ridge::device
