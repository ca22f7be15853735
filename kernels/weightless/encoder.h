// From pixels to bit planes, 64 images at a time: 16 pixels of 64 images are turned round into 16 columns
// of 64 bytes, and a column compared with a threshold is a word of a plane. Features that no LUT reads
// are left out: which those are is known with the network. C-like: ISA-flagged files include this.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/runtime/weightless/weightless.h"

namespace ridge {

enum { kColumns = 16, kColumnBlocks = kImageBytes / kColumns };

/// Feature `feature` is column > threshold, of the 16 columns of its block.
typedef struct {
  uint8_t column, threshold;
  uint16_t feature;
} Comparison64;

typedef struct {
  uint64_t* planes;       ///< of one tile
  uint8_t* tail;          ///< the last, incomplete 64 images, filled up
  Comparison64* compare;  ///< of block b: begin[b] ... begin[b + 1] - 1
  int begin[kColumnBlocks + 1];
  size_t bytes;  ///< all of these
} Encoder;

/// Null: no memory.
Encoder* make_encoder(const LutModel* model);
void free_encoder(void* encoder);

/// An encoder of the instruction set at hand:
///   columns_of_16(pixels, column)    column[p][s]: pixel p of image s; images lie kImageBytes apart
///   above_64(column, threshold)      bit s: column[s] > threshold
/// The next 64 images, 784 cache lines, are fetched meanwhile, 16 lines a block: 64 rows are more streams
/// than the hardware's prefetcher follows.
#define RIDGE_ENCODE_64(columns_of_16, above_64)                                                  \
  static inline void encode_64(const Encoder* encoder, const uint8_t* pixels, uint64_t* planes) { \
    alignas(64) uint8_t column[kColumns][64];                                                     \
    for (int block = 0; block < kColumnBlocks; ++block) {                                         \
      const int begin = encoder->begin[block], end = encoder->begin[block + 1];                   \
      for (int line = 0; line < kColumns; ++line) {                                               \
        __builtin_prefetch(pixels + 64 * (kImageBytes + block * kColumns + line), 0, 2);          \
      }                                                                                           \
      if (begin == end) continue;                                                                 \
      columns_of_16(pixels + block * kColumns, column);                                           \
      for (int i = begin; i < end; ++i) {                                                         \
        const Comparison64 c = encoder->compare[i];                                               \
        planes[(int64_t)c.feature * kTileWords] = above_64(column[c.column], c.threshold);        \
      }                                                                                           \
    }                                                                                             \
  }

}  // namespace ridge
