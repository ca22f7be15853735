// More of Hopper's wgmma (PTX ISA; wgmma.h says how tiles and sums lie): A from registers, which is how a
// result becomes the next product's operand without shared memory in between; for 16-bit types.
//
// As A, a thread holds for 16 columns of K (step t): a[0] row g, columns 16t+2q and 16t+2q+1; a[1] the same
// of row g+8; a[2], a[3] the same at 8 columns more. That is where wgmma's own sums of columns 16t to 16t+15
// lie: d[8t], d[8t+1]; d[8t+2], d[8t+3]; d[8t+4], d[8t+5]; d[8t+6], d[8t+7].
#pragma once

#include "kernels/runtime/cuda/wgmma.h"

namespace ridge::device {

/// Descriptor of an N-major tile (wgmma.h) whose groups of 64 columns are `group_bytes` apart: as many rows
/// of 128 bytes as the tile has steps of K.
__device__ inline uint64_t swizzled_descriptor_n_major(const void* tile, int group_bytes) {
  return ((shared_address(tile) & 0x3ffff) >> 4) | (static_cast<uint64_t>(group_bytes >> 4) << 16) |
         (uint64_t{1024 >> 4} << 32) | kSwizzle128Bit;
}

/// WgmmaRegisters<Element, n>::multiply(d, a, b): d += a * b, 64 x n x 16; n of 64, 128; B N-major. Fp8: 64 x n x
/// 32, B K-major, the only way for 8 bits; a[0] is row g, columns 32t+4q to 32t+4q+3, a[1] the same of row g+8,
/// a[2], a[3] the same at 16 columns more, and no permutation of 2q and 2q+1 gives that: see to_operand_fp8().
template <typename Element, int n>
struct WgmmaRegisters;

// clang-format off
#define RIDGE_REGISTERS_32 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, " \
  "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define RIDGE_REGISTERS_64 RIDGE_REGISTERS_32 \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define RIDGE_SUMS_8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), \
                        "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define RIDGE_SUMS_32 RIDGE_SUMS_8(0), RIDGE_SUMS_8(8), RIDGE_SUMS_8(16), RIDGE_SUMS_8(24)
#define RIDGE_SUMS_64 RIDGE_SUMS_32, RIDGE_SUMS_8(32), RIDGE_SUMS_8(40), RIDGE_SUMS_8(48), \
                      RIDGE_SUMS_8(56)

// `a0` to `a3`, `b`: the numbers of the operands behind the sums.
#define RIDGE_WGMMA(element, n, count, a0, a1, a2, a3, b, k, types, tail) \
  template <> \
  struct WgmmaRegisters<element, n> { \
    static __device__ __forceinline__ void multiply(float (&d)[count], const uint32_t (&a)[4], \
                                                    uint64_t desc_b) { \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #n "k" #k "." types " {" \
                   RIDGE_REGISTERS_##count "}, {%" #a0 ", %" #a1 ", %" #a2 ", %" #a3 "}, %" #b \
                   ", 1, 1, 1" tail ";" \
                   : RIDGE_SUMS_##count \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(desc_b)); \
    } \
  };
RIDGE_WGMMA(Bf16, 64, 32, 32, 33, 34, 35, 36, 16, "f32.bf16.bf16", ", 1")
RIDGE_WGMMA(Bf16, 128, 64, 64, 65, 66, 67, 68, 16, "f32.bf16.bf16", ", 1")
RIDGE_WGMMA(Fp16, 64, 32, 32, 33, 34, 35, 36, 16, "f32.f16.f16", ", 1")
RIDGE_WGMMA(Fp16, 128, 64, 64, 65, 66, 67, 68, 16, "f32.f16.f16", ", 1")
RIDGE_WGMMA(Fp8, 64, 32, 32, 33, 34, 35, 36, 32, "f32.e4m3.e4m3", "")
RIDGE_WGMMA(Fp8, 128, 64, 64, 65, 66, 67, 68, 32, "f32.e4m3.e4m3", "")
#undef RIDGE_WGMMA
#undef RIDGE_SUMS_64
#undef RIDGE_SUMS_32
#undef RIDGE_SUMS_8
#undef RIDGE_REGISTERS_64
#undef RIDGE_REGISTERS_32
// clang-format on

}  // namespace ridge::device
