// Hopper's warpgroup matrix instructions (PTX ISA, "wgmma"; target sm_90a only).
#pragma once

#include <cstdint>

namespace ridge::device {

__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Descriptor of an operand in shared memory: rows of 64 bf16 (128 bytes) along K, 128-byte swizzle,
/// tile aligned to 1024 bytes. Eight rows make a 1024-byte atom; atoms follow each other. The next
/// 16 elements of K are 32 bytes further: add 2 to the descriptor.
__device__ inline uint64_t swizzled_descriptor(const void* tile) {
  constexpr uint64_t kAtomBytes = 1024, kSwizzle128 = 1;
  return ((shared_address(tile) & 0x3ffff) >> 4) | (uint64_t{1} << 16) | ((kAtomBytes >> 4) << 32) |
         (kSwizzle128 << 62);
}

/// Where element (row, column) of such a tile is, in elements: 16-byte chunk c of a row stands at
/// chunk c xor (row mod 8).
__device__ inline int swizzled_index(int row, int column) {
  return row * 64 + ((((column >> 3) ^ row) & 7) << 3) + (column & 7);
}

/// Ordinary stores to shared memory become visible to wgmma and the copy engine: in each writing
/// thread, before the barrier.
__device__ inline void fence_shared_for_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int pending>
__device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

/// d += a * b for 64 x 256 x 16: fp32 accumulators in registers, both operands bf16 in shared memory
/// with K contiguous. `accumulate` 0 starts afresh. Thread t of the warpgroup, warp w, lane l = 4g+q:
/// d[4j], d[4j+1] are row 16w+g, columns 8j+2q and 8j+2q+1; d[4j+2], d[4j+3] are row 16w+g+8.
__device__ inline void wgmma_m64n256k16_bf16(float (&d)[128], uint64_t a, uint64_t b,
                                             int accumulate) {
#define RIDGE_ACC8(i)                                                                         \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
  // clang-format off
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %130, 0; "
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 { "
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
      "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
      "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "
      "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
      "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, "
      "%87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, "
      "%103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, "
      "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127 "
      "}, %128, %129, p, 1, 1, 0, 0; }"
      : RIDGE_ACC8(0), RIDGE_ACC8(8), RIDGE_ACC8(16), RIDGE_ACC8(24),
        RIDGE_ACC8(32), RIDGE_ACC8(40), RIDGE_ACC8(48), RIDGE_ACC8(56),
        RIDGE_ACC8(64), RIDGE_ACC8(72), RIDGE_ACC8(80), RIDGE_ACC8(88),
        RIDGE_ACC8(96), RIDGE_ACC8(104), RIDGE_ACC8(112), RIDGE_ACC8(120)
      : "l"(a), "l"(b), "r"(accumulate));
  // clang-format on
#undef RIDGE_ACC8
}

}  // namespace ridge::device
