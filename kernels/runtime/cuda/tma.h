// Hopper's tensor memory accelerator (PTX ISA, "Data Movement: cp.async.bulk.tensor"): one thread
// asks for a box of a matrix, the copy engine moves it. sm_90 and later.
//
// The map comes from encode_tensor_map(), on the host, and reaches the kernel by value:
// `const __grid_constant__ CUtensorMap map`. x counts columns (the contiguous dimension), y rows. What lies
// outside the matrix reads as zero, still counts its bytes towards the barrier, and is not written by a store:
// tails need no code. Boxes in shared memory are aligned to 128 bytes, or to 1024 with the 128-byte swizzle.
#pragma once

#include <cuda.h>

#include "common/harness/kernel/kernel.h"
#include "kernels/runtime/cuda/shared.h"

namespace ridge::device {

/// A slice: 128 bytes of a row, which the copy engine swizzles and wgmma reads. Whatever the type: 64 elements of 16
/// bits, 32 of tf32, 128 of fp8 and int8.
constexpr int kSliceBytes = 128;

/// A row-major matrix, and the box that one load or store moves.
///
///   type         CU_TENSOR_MAP_DATA_TYPE_FLOAT32, _TFLOAT32, _BFLOAT16, _FLOAT16, _UINT8 (any 8-bit)
///   data         16-byte aligned device memory
///   row_bytes    distance between rows: a multiple of 16, below 2^40 (kernels/runtime/cuda/padding.h)
///   box_*        1 to 256 each; box_columns * element size a multiple of 16 bytes, and with a swizzle
///                of 32, 64 or 128 bytes at most that many
///
/// Swizzle 128 B: 16-byte chunk c of row r of a box (rows of 128 bytes) stands at chunk c xor (r mod 8).
struct TensorMap2d {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  const void* data = nullptr;
  int64_t rows = 0, columns = 0;
  int64_t row_bytes = 0;
  int box_rows = 0, box_columns = 0;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  /// More than 0: a stack of so many matrices, dense, for tma_load_3d(); the box is one deep.
  int64_t matrices = 0;
};

/// Encodes it, on the host, without a device call: cheap enough (under a microsecond is the intent)
/// for every launch, where the buffers' addresses are first known. A map holds for these addresses.
Status encode_tensor_map(const TensorMap2d& matrix, CUtensorMap* map);

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

/// In a stack of matrices z counts them. A box that passes the end of its matrix reads zeros and writes nothing
/// there, instead of the next matrix. By one thread: as tma_load_2d(), of matrix z.
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
