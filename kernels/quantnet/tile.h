// One tile of the integer engine: up to eight rows of bytes times 16 outputs, exactly, requantised. C-like:
// ISA-flagged files include it.
//
// A step is four bytes of a row, found by `offsets`, so that a convolution reads its image where it lies and
// nothing is unfolded; and the weights of 16 outputs for them, [16][4]. Sums start at `start` and are exact; after
// each `group` steps x = fma(sum, scale, x). See network.h for the definition.
#pragma once

#include <stdint.h>

namespace ridge {

enum { kTileRows = 8, kTileOuts = 16 };

typedef struct {
  const uint8_t* rows[kTileRows];
  const int32_t* offsets;     ///< [steps]: bytes from a row's begin
  const int8_t* weights;      ///< [steps][16][4]
  const float* kept;          ///< in their place, of a layer that is kept: [steps][4][16]
  int zero;                   ///< byte that stands for 0; kept
  int steps, group;           ///< the last group may be shorter
  const int32_t* start;       ///< [groups][16]
  const float* scale;         ///< [groups][16]
  const float* add;           ///< [16]
  float most;                 ///< of a byte
  uint8_t* bytes[kTileRows];  ///< null: scores are wanted
  float* scores[kTileRows];
  int outs;  ///< that are written, at most 16
} IntegerTile;

typedef void (*IntegerTileFunction)(const IntegerTile* tile);

void integer_tile_portable(const IntegerTile* tile);
void integer_tile_avx2(const IntegerTile* tile);
void integer_tile_vnni(const IntegerTile* tile);
void kept_tile_portable(const IntegerTile* tile);
void kept_tile_avx2(const IntegerTile* tile);

}  // namespace ridge
