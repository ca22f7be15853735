// A Hopper pipeline: boxes of a matrix that the copy engine loads into a ring of stages, the barriers between the warps
// that load and the warpgroups (4 warps) that multiply, and registers handed from one to the other. sm_90 and later.
//
// The copy engine (TMA; PTX ISA, "cp.async.bulk.tensor") moves a box of a matrix at one thread's request. The map comes
// from encode_tensor_map(), on the host, and reaches the kernel by value: `const __grid_constant__ CUtensorMap map`. x
// counts columns (the contiguous dimension), y rows. What lies outside the matrix reads as zero and still counts its
// bytes towards the barrier: tails need no code. Boxes in shared memory are aligned to 128 bytes, or to 1024 with the
// 128-byte swizzle.
//
// Hopper's barrier object in shared memory (PTX ISA, "mbarrier"): it counts arriving threads and
// bytes still on their way. A phase ends when both counts reach zero; then it arms itself again.
//
// Waiting names the parity of a phase: phase 0, 2, 4 ... have parity 0. A wait for parity p returns
// once the current phase is not of parity p any more. So the ring of a producer and its consumers is
//
//   __shared__ uint64_t full[kStages], empty[kStages];       // 8-byte aligned
//   one thread: mbarrier_init(full + s, 1); mbarrier_init(empty + s, consumers);
//               fence_mbarrier_init();                        then __syncthreads() (or cluster sync)
//   RingPosition<kStages> at;
//   producer:   mbarrier_wait(empty + at.stage, at.parity ^ 1);   // passes at once the first time
//               mbarrier_arrive_expect(full + at.stage, bytes); tma_load_2d(...); at.advance();
//   consumer:   mbarrier_wait(full + at.stage, at.parity); read;
//               mbarrier_arrive(empty + at.stage); at.advance();  // after its last read of the stage
#pragma once

#include <cuda.h>

#include "common/harness/kernel/kernel.h"
#include "kernels/runtime/cuda/shared.h"

namespace ridge::device {

/// A place in a ring of stages, and the parity of the round it is in.
template <int stages>
struct RingPosition {
  int stage = 0;
  uint32_t parity = 0;
  __device__ void advance() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  /// As advance() so many times.
  __device__ void skip(int count) {
    const int sum = stage + count;
    parity ^= static_cast<uint32_t>(sum / stages) & 1;
    stage = sum % stages;
  }
};

/// By one thread. `arrivals`: how many mbarrier_arrive() (and _expect()) end a phase, 1 to 2^20 - 1.
__device__ inline void mbarrier_init(uint64_t* barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

/// By the thread that initialised, once after all of its barriers and before the block or cluster
/// synchronises: makes them visible to the other CTAs of the cluster and to the copy engine.
__device__ inline void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// One arrival at a barrier of this CTA. Release: what the thread read or wrote before is done.
__device__ inline void mbarrier_arrive(uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

/// One arrival that also adds `bytes` to what the phase waits for: before the loads that bring them.
__device__ inline void mbarrier_arrive_expect(uint64_t* barrier, uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

/// True once the phase of that parity is over; may sleep a little before it says no. Acquire.
__device__ inline bool mbarrier_try_wait(uint64_t* barrier, uint32_t parity) {
  uint32_t over;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
      " selp.u32 %0, 1, 0, p; }"
      : "=r"(over)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return over != 0;
}

__device__ inline void mbarrier_wait(uint64_t* barrier, uint32_t parity) {
  while (!mbarrier_try_wait(barrier, parity)) {
  }
}

// ---- the copy engine -----------------------------------------------------------------------------

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
  /// More than 0: a stack of so many matrices, dense, for tma_load_3d() (tma_stack.h); the box is one deep.
  int64_t matrices = 0;
};

/// Encodes it, on the host, without a device call: cheap enough (under a microsecond is the intent)
/// for every launch, where the buffers' addresses are first known. A map holds for these addresses.
Status encode_tensor_map(const TensorMap2d& matrix, CUtensorMap* map);

/// By one thread: the box at (x, y) into `to`; completes on `full`, which expects the box's bytes
/// (mbarrier_arrive_expect, once for all boxes of a stage).
__device__ inline void tma_load_2d(void* to, const CUtensorMap* map, int x, int y, uint64_t* full) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
      "l"(reinterpret_cast<uint64_t>(map)), "r"(x), "r"(y), "r"(shared_address(full))
      : "memory");
}

// ---- warpgroups ----------------------------------------------------------------------------------

/// Hands registers back to the SM, or asks for more, per thread: a multiple of 8, 24 to 256, by all
/// warps of a warpgroup. Needs __launch_bounds__(threads, 1), and roles that are the branches of
/// one if; the sum over the block must not pass 65,536. (PTX ISA, "setmaxnreg")
template <int count>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}

/// A barrier among 128 threads of the block; ids 1 to 15 (0 is __syncthreads).
__device__ inline void warpgroup_sync(int id) {
  asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory");
}

}  // namespace ridge::device
