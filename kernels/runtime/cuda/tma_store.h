// A tile's way out by the copy engine (pipeline.h): blocks of a matrix from registers to shared memory, and boxes from
// there to device memory. What lies outside the matrix is not written: tails need no code.
#pragma once

#include "kernels/runtime/cuda/pipeline.h"

namespace ridge::device {

/// Four 8 x 8 blocks of 16-bit elements from a warp's registers to shared memory (PTX ISA, "stmatrix"; sm_90).
/// Lane 8i + r names the place of row r of block i; lane 4g + q gives elements 2q and 2q + 1 of row g.
__device__ inline void stmatrix_x4(const void* row, uint32_t a, uint32_t b, uint32_t c,
                                   uint32_t d) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
      "r"(a), "r"(b), "r"(c), "r"(d)
      : "memory");
}

/// The same turned about the diagonal: lane 4g + q gives elements g of the rows 2q and 2q + 1.
__device__ inline void stmatrix_x4_transposed(const void* row, const uint32_t (&blocks)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   shared_address(row)),
               "r"(blocks[0]), "r"(blocks[1]), "r"(blocks[2]), "r"(blocks[3])
               : "memory");
}

/// By one thread, early: the first load need not fetch the descriptor.
__device__ inline void tma_prefetch_map(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(reinterpret_cast<uint64_t>(map)) : "memory");
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

}  // namespace ridge::device
