// Asynchronous copies of Ampere and later (PTX ISA, "cp.async"): every thread asks for 16 bytes from
// device memory straight into shared memory, past its registers, and goes on with its work.
//
//   for each piece:  cp_async_16(to, from, inside);        both addresses multiples of 16 bytes
//   cp_async_commit();                                     closes the group of the copies since the last
//   cp_async_wait<1>(); __syncthreads();                   all groups but the last one are there
#pragma once

#include "kernels/runtime/cuda/shared.h"

namespace ridge::device {

/// `inside` false: nothing is read (the address need not be valid), and 16 bytes of zeros are written.
/// Keeps out of the L1 cache: what goes to shared memory is read once.
__device__ inline void cp_async_16(uint32_t to_shared, const void* from, bool inside) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to_shared), "l"(from),
               "r"(inside ? 16 : 0)
               : "memory");
}

/// The same for 4 bytes: to scatter what lies together, as a transposition does. Through the L1 cache,
/// the only way for less than 16.
__device__ inline void cp_async_4(uint32_t to_shared, const void* from, bool inside) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to_shared), "l"(from),
               "r"(inside ? 4 : 0)
               : "memory");
}

__device__ inline void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// At most `pending` of this thread's groups are still under way; a barrier tells the other threads.
template <int pending>
__device__ inline void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

}  // namespace ridge::device
