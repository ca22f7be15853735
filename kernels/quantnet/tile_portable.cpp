// ridge: flags=-O3
#include <math.h>

#include "kernels/quantnet/tile.h"

namespace ridge {

static void finish(const IntegerTile* tile, int row, const float* x) {
  if (tile->bytes[row] == nullptr) {
    for (int c = 0; c < tile->outs; ++c) tile->scores[row][c] = x[c];
    return;
  }
  for (int c = 0; c < tile->outs; ++c) {
    const float low = x[c] > 0 ? x[c] : 0;
    tile->bytes[row][c] = (uint8_t)nearbyintf(low < tile->most ? low : tile->most);
  }
}

void integer_tile_portable(const IntegerTile* tile) {
  for (int row = 0; row < kTileRows; ++row) {
    float x[kTileOuts];
    __builtin_memcpy(x, tile->add, sizeof(x));
    for (int first = 0, g = 0; first < tile->steps; first += tile->group, ++g) {
      const int last = first + tile->group < tile->steps ? first + tile->group : tile->steps;
      int32_t sum[kTileOuts];
      __builtin_memcpy(sum, tile->start + g * kTileOuts, sizeof(sum));
      for (int s = first; s < last; ++s) {
        const uint8_t* four = tile->rows[row] + tile->offsets[s];
        const int8_t* w = tile->weights + (int64_t)s * kTileOuts * 4;
        for (int c = 0; c < kTileOuts; ++c) {
          for (int i = 0; i < 4; ++i) sum[c] += four[i] * w[4 * c + i];
        }
      }
      for (int c = 0; c < kTileOuts; ++c)
        x[c] = fmaf((float)sum[c], tile->scale[g * kTileOuts + c], x[c]);
    }
    finish(tile, row, x);
  }
}

void kept_tile_portable(const IntegerTile* tile) {
  for (int row = 0; row < kTileRows; ++row) {
    float sum[kTileOuts] = {}, x[kTileOuts];
    const float* w = tile->kept;
    for (int s = 0; s < tile->steps; ++s) {
      const uint8_t* four = tile->rows[row] + tile->offsets[s];
      for (int i = 0; i < 4; ++i, w += kTileOuts) {
        const float q = (float)(four[i] - tile->zero);
        for (int c = 0; c < kTileOuts; ++c) sum[c] = fmaf(q, w[c], sum[c]);
      }
    }
    for (int c = 0; c < kTileOuts; ++c) x[c] = fmaf(sum[c], tile->scale[c], tile->add[c]);
    finish(tile, row, x);
  }
}

}  // namespace ridge
