// Widths of wgmma between the powers of two (wgmma.h): 96, 112 and 192 columns, for 16-bit types, both operands
// K-major in shared memory. With them tiles come out even where 128 or 256 columns would not.
#pragma once

#include "kernels/runtime/cuda/wgmma.h"

namespace ridge::device {

// clang-format off
#define RIDGE_REGISTERS_48 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define RIDGE_REGISTERS_56 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55"
#define RIDGE_REGISTERS_96 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define RIDGE_SUMS_8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), \
                        "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define RIDGE_SUMS_48 RIDGE_SUMS_8(0), RIDGE_SUMS_8(8), RIDGE_SUMS_8(16), RIDGE_SUMS_8(24), \
                      RIDGE_SUMS_8(32), RIDGE_SUMS_8(40)
#define RIDGE_SUMS_56 RIDGE_SUMS_48, RIDGE_SUMS_8(48)
#define RIDGE_SUMS_96 RIDGE_SUMS_56, RIDGE_SUMS_8(56), RIDGE_SUMS_8(64), RIDGE_SUMS_8(72), \
                      RIDGE_SUMS_8(80), RIDGE_SUMS_8(88)

// `a`, `b`, `p`: the numbers of the operands behind the sums.
#define RIDGE_WGMMA(element, n, count, a, b, p, types) \
  template <> \
  struct Wgmma<element, n, false> { \
    static __device__ __forceinline__ void multiply(float (&d)[count], uint64_t desc_a, \
                                                    uint64_t desc_b, int accumulate) { \
      asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #p ", 0; wgmma.mma_async.sync.aligned.m64n" #n \
                   "k16." types " {" RIDGE_REGISTERS_##count "}, %" #a ", %" #b ", p, 1, 1, 0, 0; }" \
                   : RIDGE_SUMS_##count \
                   : "l"(desc_a), "l"(desc_b), "r"(accumulate)); \
    } \
  };
RIDGE_WGMMA(Bf16, 96, 48, 48, 49, 50, "f32.bf16.bf16")
RIDGE_WGMMA(Bf16, 112, 56, 56, 57, 58, "f32.bf16.bf16")
RIDGE_WGMMA(Bf16, 192, 96, 96, 97, 98, "f32.bf16.bf16")
RIDGE_WGMMA(Fp16, 96, 48, 48, 49, 50, "f32.f16.f16")
RIDGE_WGMMA(Fp16, 112, 56, 56, 57, 58, "f32.f16.f16")
RIDGE_WGMMA(Fp16, 192, 96, 96, 97, 98, "f32.f16.f16")
#undef RIDGE_WGMMA
#undef RIDGE_SUMS_96
#undef RIDGE_SUMS_56
#undef RIDGE_SUMS_48
#undef RIDGE_SUMS_8
#undef RIDGE_REGISTERS_96
#undef RIDGE_REGISTERS_56
#undef RIDGE_REGISTERS_48
// clang-format on

}  // namespace ridge::device
