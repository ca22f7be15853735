// The Bloom family's view of a launch: WiSARD with tuples too long for a table (28 bits: 2^28 entries).
// Each class and tuple has a counting Bloom filter instead: `hashes` counters of `slots`, named by hash
// functions of the tuple's bits. Training raises the counters that are lowest; a tuple was seen more than
// `bleach` times if all of its counters say so. It never says no to what it saw; it may say yes to what it
// did not.
//
//   Shape::dim        {images, bits, tuple}
//   Shape::constants  the BloomModel
//   buffers           rows, planes, classes as in kernels/wisard/wisard.h
//
// Source: Susskind et al., BTHOWeN, arXiv:2203.01479; H3 hashing: Carter and Wegman, 1979.
#pragma once

#include <stdint.h>
#include <stdlib.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

enum { kBloomClasses = 10, kMaxBloomTuple = 64, kMaxHashes = 8 };

struct BloomModel {
  int features, tuple, filters, hashes, bleach;
  int log2_slots;
  const uint16_t* order;  ///< [filter][tuple]: features
  const uint16_t*
      words;  ///< [hash][tuple]: a hash is the exclusive or of the words of the bits set
  const uint8_t* counts;  ///< [class][filter][slot], 255 at most
};

/// The slots of one tuple of a row.
static inline void bloom_slots(const BloomModel* model, int filter, const uint64_t* row,
                               uint16_t* slots) {
  const uint16_t* order = model->order + (int64_t)filter * model->tuple;
  for (int h = 0; h < model->hashes; ++h) slots[h] = 0;
  for (int i = 0; i < model->tuple; ++i) {
    const uint16_t all = (uint16_t) - (row[order[i] / 64] >> (order[i] % 64) & 1);
    for (int h = 0; h < model->hashes; ++h) slots[h] ^= all & model->words[h * model->tuple + i];
  }
}

}  // namespace ridge
