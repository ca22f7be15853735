// In which order persistent blocks go through the tiles of C. Neighbours in time should be
// neighbours in C, so that they find each other's rows of A and columns of B in the L2: bands of
// `band` tile rows, each gone through column by column. The next band goes back the other way, so
// that it begins with the columns of B that were used last.
#pragma once

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

}  // namespace ridge::device
