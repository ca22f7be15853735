// Hopper's warpgroup matrix instructions (PTX ISA, "wgmma"; target sm_90a only): d += a * b for 64
// x n x 32 bytes of K, both operands in shared memory, sums in the registers of four warps.
//
// Operands lie in tiles with the 128-byte swizzle, aligned to 1024 bytes, as the copy engine writes
// them (pipeline.h):
//   K-major   rows of 128 bytes along K, one row for each row of A or column of B. The next 32
//             bytes of K: descriptor + 2.
//   N-major   (B of 16-bit types only) groups of 64 columns; in a group 64 rows, one for each k, of
//             128 bytes along N; a group is 8 KiB, and they follow each other. The next 16 k:
//             descriptor + 128.
// Thread t of the warpgroup, warp w, lane 4g + q, holds of d: d[4j], d[4j+1] are row 16w+g, columns
// 8j+2q and 8j+2q+1; d[4j+2], d[4j+3] the same columns of row 16w+g+8.
#pragma once

#include "kernels/runtime/cuda/shared.h"
#include "kernels/runtime/cuda/tensor_element.h"

namespace ridge::device {

constexpr uint64_t kSwizzle128Bit = uint64_t{1} << 62;

/// Descriptor of a K-major tile. Eight rows make a 1024-byte atom; atoms follow each other.
__device__ inline uint64_t swizzled_descriptor(const void* tile) {
  return ((shared_address(tile) & 0x3ffff) >> 4) | (uint64_t{1} << 16) |
         (uint64_t{1024 >> 4} << 32) | kSwizzle128Bit;
}

/// Descriptor of an N-major tile: 8192 bytes to the next 64 columns, 1024 to the next 8 of K.
__device__ inline uint64_t swizzled_descriptor_n_major(const void* tile) {
  return ((shared_address(tile) & 0x3ffff) >> 4) | (uint64_t{8192 >> 4} << 16) |
         (uint64_t{1024 >> 4} << 32) | kSwizzle128Bit;
}

__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int pending>
__device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

/// Names accumulators after the wgmma_wait() that finished them: nothing that reads or writes them may be moved before
/// it. Without this the compiler, which sees no link between the wait and the registers, is free to. Only what is
/// finished: after wgmma_wait<1>() the accumulators of the last group are still being written.
__device__ __forceinline__ void wgmma_touch(float& value) { asm volatile("" : "+f"(value)::"memory"); }
__device__ __forceinline__ void wgmma_touch(int& value) { asm volatile("" : "+r"(value)::"memory"); }
template <typename Values, int count>
__device__ __forceinline__ void wgmma_touch(Values (&d)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) wgmma_touch(d[i]);
}

/// Wgmma<Element, n, n_major>::multiply(d, a, b, accumulate): the instruction for these types, n of 64, 128, 256;
/// K-major and of 16 bits 112 and 192 too. `accumulate` 0 starts afresh, whatever d holds. `m_major`: A lies as an
/// N-major B, for 16-bit types with N-major B.
template <typename Element, int n, bool n_major, bool m_major = false>
struct Wgmma;

// The instruction text is the same for all but the numbers; so it is put together here.
// clang-format off
#define RIDGE_REGISTERS_32 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define RIDGE_REGISTERS_56 RIDGE_REGISTERS_32 \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55"
#define RIDGE_REGISTERS_64 RIDGE_REGISTERS_56 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define RIDGE_REGISTERS_96 RIDGE_REGISTERS_64 \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define RIDGE_REGISTERS_128 RIDGE_REGISTERS_96 \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, " \
  "%111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define RIDGE_SUMS_8(c, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3]), \
                           c(d[i + 4]), c(d[i + 5]), c(d[i + 6]), c(d[i + 7])
#define RIDGE_SUMS_32(c) RIDGE_SUMS_8(c, 0), RIDGE_SUMS_8(c, 8), RIDGE_SUMS_8(c, 16), RIDGE_SUMS_8(c, 24)
#define RIDGE_SUMS_56(c) RIDGE_SUMS_32(c), RIDGE_SUMS_8(c, 32), RIDGE_SUMS_8(c, 40), RIDGE_SUMS_8(c, 48)
#define RIDGE_SUMS_64(c) RIDGE_SUMS_56(c), RIDGE_SUMS_8(c, 56)
#define RIDGE_SUMS_96(c) RIDGE_SUMS_64(c), RIDGE_SUMS_8(c, 64), RIDGE_SUMS_8(c, 72), \
                         RIDGE_SUMS_8(c, 80), RIDGE_SUMS_8(c, 88)
#define RIDGE_SUMS_128(c) RIDGE_SUMS_96(c), RIDGE_SUMS_8(c, 96), RIDGE_SUMS_8(c, 104), \
                          RIDGE_SUMS_8(c, 112), RIDGE_SUMS_8(c, 120)

// `a`, `b`, `p`: the numbers of the operands behind the sums; `c` the sums' constraint, "+f" or
// "+r".
#define RIDGE_WGMMA(element, n, count, a, b, p, n_major, m_major, k, types, c, tail) \
  template <> \
  struct Wgmma<element, n, n_major, m_major> { \
    static __device__ __forceinline__ void multiply(element::Accumulator (&d)[count], uint64_t desc_a, \
                                                    uint64_t desc_b, int accumulate) { \
      asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #p ", 0; wgmma.mma_async.sync.aligned.m64n" #n \
                   "k" #k "." types " {" RIDGE_REGISTERS_##count "}, %" #a ", %" #b ", p" tail "; }" \
                   : RIDGE_SUMS_##count(c) \
                   : "l"(desc_a), "l"(desc_b), "r"(accumulate)); \
    } \
  };
#define RIDGE_WGMMA_SIZES(element, n_major, m_major, k, types, c, tail)                     \
  RIDGE_WGMMA(element, 64, 32, 32, 33, 34, n_major, m_major, k, types, c, tail)             \
  RIDGE_WGMMA(element, 128, 64, 64, 65, 66, n_major, m_major, k, types, c, tail)            \
  RIDGE_WGMMA(element, 256, 128, 128, 129, 130, n_major, m_major, k, types, c, tail)

// The tails: both signs plus, then for 16-bit types which operands are not K-major.
RIDGE_WGMMA_SIZES(Bf16, false, false, 16, "f32.bf16.bf16", "+f", ", 1, 1, 0, 0")
RIDGE_WGMMA_SIZES(Bf16, true, false, 16, "f32.bf16.bf16", "+f", ", 1, 1, 0, 1")
RIDGE_WGMMA_SIZES(Fp16, false, false, 16, "f32.f16.f16", "+f", ", 1, 1, 0, 0")
RIDGE_WGMMA_SIZES(Fp16, true, false, 16, "f32.f16.f16", "+f", ", 1, 1, 0, 1")
RIDGE_WGMMA_SIZES(Tf32, false, false, 8, "f32.tf32.tf32", "+f", ", 1, 1")
RIDGE_WGMMA_SIZES(Fp8, false, false, 32, "f32.e4m3.e4m3", "+f", ", 1, 1")
RIDGE_WGMMA_SIZES(Int8, false, false, 32, "s32.s8.s8", "+r", "")
RIDGE_WGMMA_SIZES(Bf16, true, true, 16, "f32.bf16.bf16", "+f", ", 1, 1, 1, 1")
RIDGE_WGMMA_SIZES(Fp16, true, true, 16, "f32.f16.f16", "+f", ", 1, 1, 1, 1")
// Between the powers of two: tiles that come out even where 128 or 256 columns would not.
#define RIDGE_WGMMA_16(element, n, count, a, b, p, types) \
  RIDGE_WGMMA(element, n, count, a, b, p, false, false, 16, types, "+f", ", 1, 1, 0, 0")
RIDGE_WGMMA_16(Bf16, 112, 56, 56, 57, 58, "f32.bf16.bf16")
RIDGE_WGMMA_16(Bf16, 192, 96, 96, 97, 98, "f32.bf16.bf16")
RIDGE_WGMMA_16(Fp16, 112, 56, 56, 57, 58, "f32.f16.f16")
RIDGE_WGMMA_16(Fp16, 192, 96, 96, 97, 98, "f32.f16.f16")
#undef RIDGE_WGMMA_16
#undef RIDGE_WGMMA_SIZES
#undef RIDGE_WGMMA
#undef RIDGE_SUMS_128
#undef RIDGE_SUMS_96
#undef RIDGE_SUMS_64
#undef RIDGE_SUMS_56
#undef RIDGE_SUMS_32
#undef RIDGE_SUMS_8
#undef RIDGE_REGISTERS_128
#undef RIDGE_REGISTERS_96
#undef RIDGE_REGISTERS_64
#undef RIDGE_REGISTERS_56
#undef RIDGE_REGISTERS_32
// clang-format on

}  // namespace ridge::device
