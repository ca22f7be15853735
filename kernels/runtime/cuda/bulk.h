// The copy engine without a tensor map (PTX ISA, "cp.async.bulk"): a run of bytes, a multiple of 16 and aligned to
// as much. sm_90 and later.
#pragma once

#include "kernels/runtime/cuda/shared.h"

namespace ridge::device {

/// By one thread: `bytes` from device memory; completes on `full`, which expects them (pipeline.h).
__device__ inline void bulk_load(void* to, const void* from, uint32_t bytes, uint64_t* full) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(full))
      : "memory");
}

/// By one thread: `bytes` of floats from shared memory are added to those at `to`; among
/// several the order is chance. Before and after as with tma_store_2d() (tma.h): fence_shared_for_async() by the writers, a barrier, this, bulk_commit().
__device__ inline void bulk_add(float* to, const void* from, uint32_t bytes) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
      "r"(shared_address(from)), "r"(bytes)
      : "memory");
}

}  // namespace ridge::device
