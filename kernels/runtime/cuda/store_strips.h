// C by way of shared memory and the copy engine: a warpgroup's 64 x n sums leave in strips of 128
// bytes of columns, through two buffers in turn, while the thread goes on.
#pragma once

#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tensor_element.h"
#include "kernels/runtime/cuda/tma_store.h"

namespace ridge::device {

constexpr int kStripBytes = 64 * kSliceBytes;  ///< 64 rows of 128 bytes, swizzled, aligned to 1024

/// A thread's sums of one strip, two in each word, into their places: 64 columns of 16 bits ...
__device__ inline void fill_strip(const uint32_t (&pairs)[16], unsigned char* strip) {
  const int lane = static_cast<int>(threadIdx.x) % 32,
            warp = static_cast<int>(threadIdx.x) / 32 % 4;
  const int row = warp * 16 + lane % 16, right = lane / 16;
#pragma unroll
  for (int j = 0; j < 8; j += 2) {  // blocks: upper left, lower left, upper right, lower right
    stmatrix_x4(strip + row * kSliceBytes + (((j + right) ^ (row & 7)) << 4), pairs[2 * j],
                pairs[2 * j + 1], pairs[2 * j + 2], pairs[2 * j + 3]);
  }
}
/// ... or 32 of 32 bits. In odd rows the two halves of the strip are exchanged in time: else rows
/// 2r and 2r + 1 would meet in the same banks.
__device__ inline void fill_strip(const uint2 (&pairs)[8], unsigned char* strip) {
  const int lane = static_cast<int>(threadIdx.x) % 32,
            warp = static_cast<int>(threadIdx.x) / 32 % 4;
  const bool odd = lane / 4 % 2 != 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const uint2 pair = odd ? pairs[i ^ 4] : pairs[i];
    const int row = warp * 16 + i % 2 * 8 + lane / 4;
    const int chunk = (i / 2 * 2 + lane % 4 / 2) ^ (odd ? 4 : 0);
    *reinterpret_cast<uint2*>(strip + row * kSliceBytes + ((chunk ^ (row & 7)) << 4) +
                              lane % 2 * 8) = pair;
  }
}

/// By the four warps of a warpgroup, whose named barrier is 1 + its number in the block. `c`: boxes of 64 rows of 128
/// bytes. `strips`: two of them, its own. Before the block ends: bulk_wait_read<0>() by all.
template <typename Element, int n>
__device__ __forceinline__ void store_strips(const typename Element::Accumulator (&d)[n / 2], const CUtensorMap& c,
                                             int row, int column, unsigned char (&strips)[2][kStripBytes]) {
  using Out = typename Element::Out;
  using Pair = decltype(pack_pair(Out{}, d[0], d[0]));
  constexpr int kColumns = kSliceBytes / static_cast<int>(sizeof(Out)), kPairs = kColumns / 4;
  const int barrier = 1 + static_cast<int>(threadIdx.x) / 128;
  const bool leader = threadIdx.x % 128 == 0;
#pragma unroll
  for (int first = 0; first < n / kColumns; first += 2) {
    if (leader) bulk_wait_read<0>();  // the copies before have read the strips
    warpgroup_sync(barrier);
#pragma unroll
    for (int strip = 0; strip < 2; ++strip) {
      Pair pairs[kPairs];
#pragma unroll
      for (int i = 0; i < kPairs; ++i) {
        const int at = (first + strip) * 2 * kPairs + 2 * i;
        pairs[i] = pack_pair(Out{}, d[at], d[at + 1]);
      }
      fill_strip(pairs, strips[strip]);
    }
    fence_shared_for_async();
    warpgroup_sync(barrier);
    if (leader) {
      for (int strip = 0; strip < 2; ++strip) {
        tma_store_2d(&c, column + (first + strip) * kColumns, row, strips[strip]);
      }
      bulk_commit();
    }
  }
}

}  // namespace ridge::device
