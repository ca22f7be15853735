// Shared memory as PTX sees it: 32-bit addresses, and the fence between ordinary accesses and the asynchronous units
// (TMA, wgmma).
#pragma once

#include <cstdint>

namespace ridge::device {

__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Four floats at once, from a multiple of 16 bytes.
__device__ inline void load_shared_4(float* to, uint32_t from) {
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
               : "r"(from));
}

/// Ordinary stores to shared memory become visible to wgmma and the copy engine: in each writing
/// thread, before the barrier. (PTX ISA 8.0, "Async proxy" and "membar/fence": fence.proxy.async.)
__device__ inline void fence_shared_for_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace ridge::device
