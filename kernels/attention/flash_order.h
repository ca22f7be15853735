// Which tiles of queries a persistent block takes, and in which order: decided once for a shape, on the host.
#pragma once

#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/attention/flash.h"

namespace ridge {

/// Deals tiles of `tile_rows` queries to `blocks` blocks into plan->state, an array in device memory:
/// entry round * blocks + block is a tile (head * tiles of a head + its place), or -1: no more. Each tile goes
/// to the block that has least to do, longest first (Graham, 1969): with a causal mask the last of a head.
/// Heads follow each other in groups whose keys and values fit the L2 together.
Status order_flash_tiles(const Shape& shape, int tile_rows, int blocks, Plan* plan);  // .cu

inline int flash_persistent_blocks(const Shape& shape, int tile_rows) {
  const int64_t tiles = (shape.dim[kAttentionSequence] + tile_rows - 1) / tile_rows *
                        shape.dim[kAttentionBatch] * shape.dim[kAttentionHeads];
  const int64_t sms = sm_count();
  return static_cast<int>(tiles < sms ? tiles : sms);
}

namespace device {

/// Calls f(head, first row) for this block's tiles.
template <int d, typename F>
__device__ __forceinline__ void for_each_flash_tile(const Flash& a, F f) {
  const int rows = ceil_div(a.sequence, FlashTile<d>::kRows);
  const int* next = a.order + blockIdx.x;
  for (int tile = *next; tile >= 0;) {
    next += gridDim.x;
    const int later = *next;  // under way while this tile is worked on
    f(tile / rows, tile % rows * FlashTile<d>::kRows);
    tile = later;
  }
}

}  // namespace device
}  // namespace ridge
