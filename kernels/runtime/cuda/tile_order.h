// In which order persistent blocks go through the tiles of C. Neighbours in time should be
// neighbours in C, so that they find each other's rows of A and columns of B in the L2: bands of
// `band` tile rows, each gone through column by column. The next band goes back the other way, so
// that it begins with the columns of B that were used last.
#pragma once

#include "kernels/runtime/cuda/pipeline.h"

namespace ridge::device {

struct TileAt {
  int row, column;  ///< in tiles
};

__device__ inline TileAt tile_at(int index, int tiles_m, int tiles_n, int band) {
  const int first = index / (band * tiles_n) * band;
  const int rows = min(band, tiles_m - first);
  const int inside = index - first * tiles_n;
  const int column = inside / rows;
  return {first + inside % rows, first / band % 2 == 0 ? column : tiles_n - 1 - column};
}

/// Calls work(row, column) for every tile of this block of a cluster, whose CTAs take tiles one
/// below the other. The lower ones of the last may lie outside C: they read zeros and store
/// nothing.
template <int tile_m, int tile_n, int cluster, typename Work>
__device__ void for_each_cluster_tile(int m, int n, int band, Work work) {
  const int rank = static_cast<int>(cluster_rank());
  const int tiles_m = (m + cluster * tile_m - 1) / (cluster * tile_m);
  const int tiles_n = (n + tile_n - 1) / tile_n;
  const int clusters = static_cast<int>(gridDim.x) / cluster;
  for (int i = static_cast<int>(blockIdx.x) / cluster; i < tiles_m * tiles_n; i += clusters) {
    const TileAt tile = tile_at(i, tiles_m, tiles_n, band);
    work((tile.row * cluster + rank) * tile_m, tile.column * tile_n);
  }
}

}  // namespace ridge::device
