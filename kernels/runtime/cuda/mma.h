// Matrix instructions of a warp: mma.sync and ldmatrix (PTX ISA; sm_80 for these shapes).
//
// m16n8k16, lane 4g + q: a[0], a[1] hold row g and row g+8 at k = 2q, 2q+1, a[2], a[3] the same
// rows at k + 8; b0, b1 column g at k = 2q, 2q+1 and at k + 8; d[0], d[1] row g, columns 2q and
// 2q+1, d[2], d[3] row g+8.
#pragma once

#include "kernels/runtime/cuda/shared.h"
#include "kernels/runtime/cuda/tensor_element.h"

namespace ridge::device {

/// Four 8 x 8 matrices of 16-bit elements from shared memory: lane 8i + r gives the address of row
/// r of matrix i; lane 4g + q receives in fragment[i] elements 2q and 2q+1 of its row g.
__device__ inline void load_matrices(uint32_t (&fragment)[4], uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(row_address)
               : "memory");
}
/// The same transposed: lane 4g + q receives elements g of the rows 2q and 2q+1.
__device__ inline void load_matrices_transposed(uint32_t (&fragment)[4], uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(row_address)
               : "memory");
}

/// d += a * b, 16 x 8 x 16, sums in fp32.
__device__ inline void mma_m16n8k16(Bf16, float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                    uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline void mma_m16n8k16(Fp16, float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                    uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// A warp's sums of 16-row, 8-column products to rows of n elements of C, inside C only. Pairs are
/// stored together where every row begins at one.
template <typename Element, int tiles_m, int tiles_n>
__device__ inline void store_warp(const float (&acc)[tiles_m][tiles_n][4], typename Element::Out* c, int m, int n,
                                  int row0, int column0) {
  using Out = typename Element::Out;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < 2 * tiles_m; ++i) {
    const int row = row0 + i * 8 + lane / 4;
#pragma unroll
    for (int j = 0; j < tiles_n; ++j) {
      const int column = column0 + j * 8 + lane % 4 * 2;
      if (row >= m || column >= n) continue;
      Out* to = c + static_cast<int64_t>(row) * n + column;
      const float first = acc[i / 2][j][i % 2 * 2], second = acc[i / 2][j][i % 2 * 2 + 1];
      if (n % 2 == 0) {
        *reinterpret_cast<uint32_t*>(to) = pack_pair(Out{}, first, second);
      } else {
        to[0] = static_cast<Out>(first);
        if (column + 1 < n) to[1] = static_cast<Out>(second);
      }
    }
  }
}

}  // namespace ridge::device
