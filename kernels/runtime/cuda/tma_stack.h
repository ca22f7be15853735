// The copy engine over a stack of matrices (pipeline.h, TensorMap2d::matrices): z counts them. A box that passes the
// end of its matrix reads zeros and writes nothing there, instead of the next matrix.
#pragma once

#include "kernels/runtime/cuda/tma_store.h"

namespace ridge::device {

/// By one thread: as tma_load_2d(), of matrix z.
__device__ inline void tma_load_3d(void* to, const CUtensorMap* map, int x, int y, int z,
                                   uint64_t* full) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(reinterpret_cast<uint64_t>(map)), "r"(x), "r"(y), "r"(z), "r"(shared_address(full))
      : "memory");
}

/// By one thread: as tma_store_2d(), into matrix z.
__device__ inline void tma_store_3d(const CUtensorMap* map, int x, int y, int z, const void* from) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(
          reinterpret_cast<uint64_t>(map)),
      "r"(x), "r"(y), "r"(z), "r"(shared_address(from))
      : "memory");
}

}  // namespace ridge::device
