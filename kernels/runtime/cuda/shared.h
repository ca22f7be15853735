// Shared memory as PTX sees it: 32-bit addresses, blocks of a matrix from registers, and the fence between ordinary
// accesses and the asynchronous units (TMA, wgmma).
#pragma once

#include <cstdint>

namespace ridge::device {

__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Ordinary stores to shared memory become visible to wgmma and the copy engine: in each writing
/// thread, before the barrier. (PTX ISA 8.0, "Async proxy" and "membar/fence": fence.proxy.async.)
__device__ inline void fence_shared_for_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

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

}  // namespace ridge::device
