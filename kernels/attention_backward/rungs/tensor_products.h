// The five products of the backward rung on wgmma, and what lies between them, for a warpgroup with 64 keys and a piece
// of `rows` queries (tensor_backward.h). Each product is committed as a group of its own.
#pragma once

#include "kernels/attention_backward/tensor_backward.h"

namespace ridge::device {

/// s = a bt over the head: 64 keys x the piece's queries. Both K-major.
template <typename Element, int rows, int slices>
__device__ __forceinline__ void scores(float (&s)[rows / 2],
                                       const unsigned char (&a)[slices][kStripBytes],
                                       const unsigned char (&b)[slices][rows * kSliceBytes]) {
#pragma unroll
  for (int slice = 0; slice < slices; ++slice) {
    const uint64_t from_a = swizzled_descriptor(a[slice]), from_b = swizzled_descriptor(b[slice]);
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      Wgmma<Element, rows, false>::multiply(s, from_a + 2 * step, from_b + 2 * step,
                                            slice + step > 0);
    }
  }
  wgmma_commit();
}

/// sums += p b: 64 keys x d, over the piece's queries.
template <typename Element, int d, int rows>
__device__ __forceinline__ void add_product(float (&sums)[d / 2], const uint32_t (&p)[rows / 16][4],
                                            const unsigned char (&b)[d / 64][rows * kSliceBytes]) {
  const uint64_t from_b = swizzled_descriptor_n_major(b, rows * kSliceBytes);
#pragma unroll
  for (int step = 0; step < rows / 16; ++step) {
    WgmmaRegisters<Element, d>::multiply(sums, p[step], from_b + 128 * step);
  }
  wgmma_commit();
}

/// dk += dSt Q: 64 keys x d; dS out of shared memory, where it lies queries down.
template <typename Element, int d, int rows>
__device__ __forceinline__ void add_key_product(
    float (&dk)[d / 2], const unsigned char (&ds)[rows * kSliceBytes],
    const unsigned char (&q)[d / 64][rows * kSliceBytes]) {
  const uint64_t from_ds = swizzled_descriptor_n_major(ds),
                 from_q = swizzled_descriptor_n_major(q, rows * kSliceBytes);
#pragma unroll
  for (int step = 0; step < rows / 16; ++step) {
    Wgmma<Element, d, true, true>::multiply(dk, from_ds + 128 * step, from_q + 128 * step, 1);
  }
  wgmma_commit();
}

/// This warpgroup's 64 x 64 of dS K: at head size 128 its half of the columns, at 64 of the queries.
template <typename Element, int d>
__device__ __forceinline__ void query_product(float (&dq)[32],
                                              const typename BackwardTile<d>::Shared& shared,
                                              int buffer, int group) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const uint64_t from_ds =
        swizzled_descriptor(shared.ds[buffer][half] + (d == 64 ? group * kStripBytes : 0));
    const uint64_t from_k =
        swizzled_descriptor_n_major(shared.k[half][d == 128 ? group : 0], kStripBytes);
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      Wgmma<Element, 64, true>::multiply(dq, from_ds + 2 * step, from_k + 128 * step,
                                         half + step > 0);
    }
  }
  wgmma_commit();
}

/// Scores that nobody has become -infinity: a thread has keys `key` and key + 8, and of 8 queries two.
template <int rows>
__device__ __forceinline__ void mask(float (&s)[rows / 2], const TensorBackward& b, int query,
                                     int key) {
  const int column = static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int i = 0; i < rows / 2; ++i) {
    const int of_query = query + i / 4 * 8 + column + i % 2, of_key = key + i % 4 / 2 * 8;
    if (of_key >= b.sequence || (b.causal && of_query < of_key)) s[i] = -INFINITY;
  }
}

/// Scores become weights 2^(s scale - l).
template <int rows>
__device__ __forceinline__ void to_weights(float (&s)[rows / 2], const float (&l)[rows],
                                           float scale) {
  const int column = static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int i = 0; i < rows / 2; i += 4) {
    const float2 pair = *reinterpret_cast<const float2*>(l + 2 * i + column);
    s[i] = exp2_fast(fmaf(s[i], scale, -pair.x));
    s[i + 1] = exp2_fast(fmaf(s[i + 1], scale, -pair.y));
    s[i + 2] = exp2_fast(fmaf(s[i + 2], scale, -pair.x));
    s[i + 3] = exp2_fast(fmaf(s[i + 3], scale, -pair.y));
  }
}

/// dS = P (dP - D) in the type, transposed, to shared memory.
template <typename Element, int rows>
__device__ __forceinline__ void to_gradient(const uint32_t (&p)[rows / 16][4],
                                            const float (&dp)[rows / 2],
                                            const float (&d_rows)[rows],
                                            unsigned char (&to)[rows * kSliceBytes]) {
  using Out = typename Element::Out;
  const int lane = static_cast<int>(threadIdx.x) % 32, column = lane % 4 * 2;
  const int chunk = static_cast<int>(threadIdx.x) / 32 % 4 * 2 + lane / 8 % 2;
#pragma unroll
  for (int step = 0; step < rows / 16; ++step) {
    uint32_t ds[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int at = 8 * step + 2 * i;
      const float2 weight = unpack_pair(Out{}, p[step][i]);
      const float2 pair = *reinterpret_cast<const float2*>(d_rows + 16 * step + i / 2 * 8 + column);
      ds[i] = pack_pair(Out{}, weight.x * (dp[at] - pair.x), weight.y * (dp[at + 1] - pair.y));
    }
    const int row = 16 * step + lane / 16 * 8 + lane % 8;
    stmatrix_x4_transposed(to + row * kSliceBytes + ((chunk ^ (row & 7)) << 4), ds);
  }
}

}  // namespace ridge::device
