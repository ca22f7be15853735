// What the tensor-core products from multicast on share: blocks of a cluster that go through the tiles of C together
// and share a tile of B, and two warpgroups of a block that take turns.
#pragma once

#include "common/core/ceil_div.h"
#include "kernels/runtime/cuda/cluster.h"
#include "kernels/runtime/cuda/tensor_gemm.h"
#include "kernels/runtime/cuda/tile_order.h"

namespace ridge::device {

/// Calls work(row, column) for every tile of this block of a cluster, whose CTAs take tiles one
/// below the other. The lower ones of the last may lie outside C: they read zeros and store
/// nothing.
template <int tile_m, int tile_n, int cluster, typename Work>
__device__ void for_each_cluster_tile(int m, int n, int band, Work work) {
  const int rank = cluster_rank();
  const int tiles_m = ceil_div(m, cluster * tile_m);
  const int tiles_n = ceil_div(n, tile_n);
  const int clusters = static_cast<int>(gridDim.x) / cluster;
  for (int i = static_cast<int>(blockIdx.x) / cluster; i < tiles_m * tiles_n; i += clusters) {
    const TileAt tile = tile_at(i, tiles_m, tiles_n, band);
    work((tile.row * cluster + rank) * tile_m, tile.column * tile_n);
  }
}

/// By one thread: n columns of B, one slice of K (load_b()), into every one of the cluster's `ctas` CTAs.
template <typename Element, int n, int ctas>
__device__ inline void load_b_multicast(unsigned char* to, const CUtensorMap* map, int column, int k, uint64_t* full) {
  constexpr uint16_t kAll = (1 << ctas) - 1;
  if constexpr (Element::kNMajorB) {
    for (int i = 0; i < n; i += 64) {
      tma_load_2d_multicast(to + i * kSliceBytes, map, column + i, k, full, kAll);
    }
  } else {
    tma_load_2d_multicast(to, map, k, column, full, kAll);
  }
}

/// Two warpgroups, 0 and 1, take turns: each waits for its own, which the other passes on. Every
/// turn passed must be waited for. A turn orders waiting for mbarriers too: a wait by parity cannot
/// tell a phase from the one two before it, so nobody may begin to wait while the other's phases go
/// by. Barriers 5 and 6.
__device__ inline void wait_for_turn(int group) {
  asm volatile("bar.sync %0, 256;" ::"r"(5 + group) : "memory");
}
__device__ inline void pass_turn_to(int group) {
  asm volatile("bar.arrive %0, 256;" ::"r"(5 + group) : "memory");
}

}  // namespace ridge::device
