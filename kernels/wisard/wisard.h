// The WiSARD family's view of a launch: for every class a row of RAMs, each addressed by a tuple of the
// image's bits, drawn at random once; a RAM says yes where training saw its address more than `bleach`
// times with that class. The class with the most yes wins, of a tie the lowest.
//
//   Shape::dim        {images, bits, tuple}
//   Shape::constants  the WisardModel: prepare() makes of its counts what the rung looks up
//   buffers[0], [1]   rows and planes of the encoded bits, inputs, as in kernels/runtime/weightless/weightless.h
//   buffers[2]        classes, output: a byte an image
//
// Source: Aleksander, Thomas and Bowden, WISARD: a radical step forward in image recognition, Sensor
// Review 1984; bleaching: Grieco, Lima, De Gregorio and Franca, Neurocomputing 2010.
// C-like: ISA-flagged files include this.
#pragma once

#include <stdint.h>
#include <stdlib.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

enum WisardDim { kRamImages = 0, kRamBits = 1, kRamTuple = 2 };
enum { kRamTile = 512, kRamTileWords = kRamTile / 64, kRamClasses = 10, kMaxTuple = 16 };

struct WisardModel {
  int features, tuple, rams, bleach;
  const uint16_t* order;  ///< [ram][tuple]: bit i of the address is feature order[ram * tuple + i]
  const uint8_t* counts;  ///< [class][ram][1 << tuple]: how often training saw it, 255 at most
};

struct WisardCall {
  int64_t images, tiles;
  int row_words;
  const WisardModel* model;
  const uint64_t* rows;
  const uint64_t* planes;
  uint8_t* classes;
};

static inline WisardCall wisard_of(const Launch& launch) {
  WisardCall c;
  c.model = (const WisardModel*)launch.shape.constants;
  c.images = launch.shape.dim[kRamImages];
  c.tiles = (c.images + kRamTile - 1) / kRamTile;
  c.row_words = (c.model->features + 63) / 64;
  c.rows = (const uint64_t*)launch.buffers[0];
  c.planes = (const uint64_t*)launch.buffers[1];
  c.classes = (uint8_t*)launch.buffers[2];
  return c;
}

static inline uint32_t ram_address(const WisardModel* model, int ram, const uint64_t* row) {
  uint32_t address = 0;
  const uint16_t* order = model->order + (int64_t)ram * model->tuple;
  for (int i = 0; i < model->tuple; ++i) {
    address |= (uint32_t)(row[order[i] / 64] >> (order[i] % 64) & 1) << i;
  }
  return address;
}

static inline uint8_t seen(const WisardModel* model, int c, int ram, uint32_t address) {
  return model->counts[(((int64_t)c * model->rams + ram) << model->tuple) + address];
}

static inline uint8_t best_score(const int* scores) {
  int best = 0;
  for (int c = 1; c < kRamClasses; ++c) best = scores[c] > scores[best] ? c : best;
  return (uint8_t)best;
}

}  // namespace ridge
