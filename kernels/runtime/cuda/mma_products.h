// The two products of attention by mma.sync, for a warp with 16 rows of queries and keys and values in shared memory:
// rows of d 16-bit numbers, in pieces of 16 bytes. Its scores come out where the weights of the second product are
// wanted (to_operand() in flash_softmax.h).
//
// Dao, FlashAttention-2, arXiv:2307.08691; PTX ISA, "mma.sync", "ldmatrix".
#pragma once

#include "kernels/runtime/cuda/mma.h"

namespace ridge::device {

/// Where 16-byte piece `piece` of a row stands: XOR with the row, so that ldmatrix meets no bank twice.
template <int d>
__device__ inline int row_place(int row, int piece) {
  return row * d * 2 + ((piece ^ (row & 7)) << 4);
}

/// s += Q Kt, for keys that are a multiple of 16.
template <typename Element, int d, int count>
__device__ __forceinline__ void warp_scores(float (&s)[count][4], const uint32_t (&q)[d / 16][4],
                                            uint32_t k) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int step = 0; step < d / 16; ++step) {
#pragma unroll
    for (int j = 0; j < count / 2; ++j) {
      uint32_t b[4];  // two times 8 keys
      load_matrices(b,
                    k + row_place<d>(j * 16 + lane / 16 * 8 + lane % 8, 2 * step + lane / 8 % 2));
      mma_m16n8k16(Element{}, s[2 * j], q[step], b[0], b[1]);
      mma_m16n8k16(Element{}, s[2 * j + 1], q[step], b[2], b[3]);
    }
  }
}

/// o += P V, over 16 `steps` keys.
template <typename Element, int d, int steps>
__device__ __forceinline__ void warp_weighted_sum(float (&o)[d / 8][4],
                                                  const uint32_t (&p)[steps][4], uint32_t v) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int j = 0; j < d / 16; ++j) {
      uint32_t b[4];
      load_matrices_transposed(b, v + row_place<d>(step * 16 + lane % 16, 2 * j + lane / 16));
      mma_m16n8k16(Element{}, o[2 * j], p[step], b[0], b[1]);
      mma_m16n8k16(Element{}, o[2 * j + 1], p[step], b[2], b[3]);
    }
  }
}

}  // namespace ridge::device
