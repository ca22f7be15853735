// The weightless family's view of a launch: a trained LutNetwork (network.h says what it computes)
// classifies a batch of images.
//
//   Shape::dim        {images, luts, bits, from pixels: 1, or 0: from encoded bits}
//   Shape::constants  the LutModel: weights are constant here, so that prepare() may pack them, choose
//                     an order, or make machine code of them
//   buffers[0]        pixels, input:  images x 784 bytes; empty when from encoded bits
//   buffers[1]        rows, input:    images x row_words 64-bit words, bit f % 64 of word f / 64 is
//                     feature f; empty when from pixels
//   buffers[2]        planes, input:  the same bits the other way round, in tiles of 512 images: bit s
//                     of planes[(tile * features + f) * 8 + w] is feature f of image 512 tile + 64 w + s;
//                     images beyond the last are zeros; empty when from pixels
//   buffers[3]        classes, output: a byte an image, 0 to 9, of a tie the lowest
//
// Rows and planes are two encodings of one batch: a rung reads the one that suits it.
// C-like: ISA-flagged files include this (common/harness/kernel/kernel.h).
#pragma once

#include <stdint.h>
#include <stdlib.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

enum WeightlessDim { kLutImages = 0, kLutLuts = 1, kLutBits = 2, kLutFromPixels = 3 };
enum { kTile = 512, kTileWords = kTile / 64, kImageBytes = 784, kImageClasses = 10, kLutInputs = 6 };

/// The network as kernels read it; arrays as in LutNetwork.
struct LutModel {
  int luts, bits, features, luts_per_class;
  const uint8_t* thresholds;
  const uint16_t* wiring;
  const uint64_t* tables;
};

struct Classify {
  int64_t images, tiles;
  int row_words;
  const LutModel* model;
  const uint8_t* pixels;  ///< null: from encoded bits
  const uint64_t* rows;
  const uint64_t* planes;
  uint8_t* classes;
};

static inline Classify classify_of(const Launch& launch) {
  Classify c;
  c.model = (const LutModel*)launch.shape.constants;
  c.images = launch.shape.dim[kLutImages];
  c.tiles = (c.images + kTile - 1) / kTile;
  c.row_words = (c.model->features + 63) / 64;
  const bool pixels = launch.shape.dim[kLutFromPixels] != 0;
  c.pixels = pixels ? (const uint8_t*)launch.buffers[0] : (const uint8_t*)0;
  c.rows = (const uint64_t*)launch.buffers[1];
  c.planes = (const uint64_t*)launch.buffers[2];
  c.classes = (uint8_t*)launch.buffers[3];
  return c;
}

}  // namespace ridge
