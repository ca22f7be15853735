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

}  // namespace ridge::device
