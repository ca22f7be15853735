// Hopper's wgmma (PTX ISA; wgmma.h says how tiles and sums lie) for few columns: A from registers as in
// wgmma_registers.h, B K-major in shared memory, n of 8, 16, 32, 64; bf16.
#pragma once

#include "kernels/runtime/cuda/wgmma.h"

namespace ridge::device {

/// WgmmaRows<n>::multiply(d, a, b, accumulate): d += a * b, 64 x n x 16. `accumulate` 0 starts afresh, whatever d holds.
template <int n>
struct WgmmaRows;

// clang-format off
#define RIDGE_REGISTERS_4 "%0, %1, %2, %3"
#define RIDGE_REGISTERS_8 RIDGE_REGISTERS_4 ", %4, %5, %6, %7"
#define RIDGE_REGISTERS_16 RIDGE_REGISTERS_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define RIDGE_REGISTERS_32 RIDGE_REGISTERS_16 \
  ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define RIDGE_SUMS_AT(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define RIDGE_SUMS_4 RIDGE_SUMS_AT(0)
#define RIDGE_SUMS_8 RIDGE_SUMS_4, RIDGE_SUMS_AT(4)
#define RIDGE_SUMS_16 RIDGE_SUMS_8, RIDGE_SUMS_AT(8), RIDGE_SUMS_AT(12)
#define RIDGE_SUMS_32 RIDGE_SUMS_16, RIDGE_SUMS_AT(16), RIDGE_SUMS_AT(20), RIDGE_SUMS_AT(24), RIDGE_SUMS_AT(28)

// `a0` to `a3`, `b`, `p`: the numbers of the operands behind the sums.
#define RIDGE_WGMMA_ROWS(n, count, a0, a1, a2, a3, b, p) \
  template <> \
  struct WgmmaRows<n> { \
    static __device__ __forceinline__ void multiply(float (&d)[count], const uint32_t (&a)[4], uint64_t desc_b, \
                                                    int accumulate) { \
      asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #p ", 0; " \
                   "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32.bf16.bf16 {" RIDGE_REGISTERS_##count "}, " \
                   "{%" #a0 ", %" #a1 ", %" #a2 ", %" #a3 "}, %" #b ", p, 1, 1, 0; }" \
                   : RIDGE_SUMS_##count \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(desc_b), "r"(accumulate)); \
    } \
  };
RIDGE_WGMMA_ROWS(8, 4, 4, 5, 6, 7, 8, 9)
RIDGE_WGMMA_ROWS(16, 8, 8, 9, 10, 11, 12, 13)
RIDGE_WGMMA_ROWS(32, 16, 16, 17, 18, 19, 20, 21)
RIDGE_WGMMA_ROWS(64, 32, 32, 33, 34, 35, 36, 37)
#undef RIDGE_WGMMA_ROWS
#undef RIDGE_SUMS_32
#undef RIDGE_SUMS_16
#undef RIDGE_SUMS_8
#undef RIDGE_SUMS_4
#undef RIDGE_SUMS_AT
#undef RIDGE_REGISTERS_32
#undef RIDGE_REGISTERS_16
#undef RIDGE_REGISTERS_8
#undef RIDGE_REGISTERS_4
// clang-format on

}  // namespace ridge::device
