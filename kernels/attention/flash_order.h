// Which tiles of queries a persistent block takes, and in which order. Every second round is dealt backwards,
// so that who got the longest of one round gets the shortest of the next.
#pragma once

#include "kernels/attention/flash.h"

namespace ridge::device {

/// Calls f(head, first row) for this block's tiles. Under a causal mask the tiles with most keys come first,
/// within as many heads as have their keys and values in the L2 together.
template <int d, typename F>
__device__ __forceinline__ void for_each_flash_tile(const Flash& a, F f) {
  const int rows = ceil_div(a.sequence, FlashTile<d>::kRows), all = rows * a.heads;
  const int blocks = static_cast<int>(gridDim.x), block = static_cast<int>(blockIdx.x);
  for (int round = 0;; ++round) {
    const int tile = round * blocks + (round % 2 ? blocks - 1 - block : block);
    if (tile >= all) return;
    if (a.causal) {
      const int first = tile / (rows * a.heads_together) * a.heads_together;
      const int together = min(a.heads_together, a.heads - first), inside = tile - first * rows;
      f(first + inside % together, (rows - 1 - inside / together) * FlashTile<d>::kRows);
    } else {
      f(tile / rows, tile % rows * FlashTile<d>::kRows);
    }
  }
}

}  // namespace ridge::device
