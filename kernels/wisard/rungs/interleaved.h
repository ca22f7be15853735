// Class-interleaved WiSARD, as the portable and the AVX-512 rung share it. The including file defines
//   Lanes                   a vector of kLanes 16-bit numbers, one an image
//   ram_addresses(planes, order, tuple, address)   of the 512 images of a tile
//
// A word of the table holds one bit for each class. For eight RAMs at a time the words of 512 images are
// fetched; then carry-save counters add them up, all classes and images at once.
#pragma once

#include <string.h>

#include "kernels/wisard/wisard.h"

namespace ridge {

enum {
  kRamCounters = 13,
  kLaneVectors = (int)kRamTile / (int)kLanes
};  // 6272 features of one RAM each: 13 bits

static inline Lanes add_lanes(Lanes a, Lanes b, Lanes c, Lanes* carry) {
  const Lanes half = a ^ b;
  *carry = (a & b) | (half & c);
  return half ^ c;
}

static inline void add_rams(Lanes* counter, int counters, const uint16_t (*words)[kRamTile],
                            int at) {
  Lanes x[8], two[4], four[2], carry;
  for (int i = 0; i < 8; ++i) memcpy(&x[i], words[i] + at, sizeof(Lanes));
  for (int i = 0; i < 4; ++i) counter[0] = add_lanes(counter[0], x[2 * i], x[2 * i + 1], &two[i]);
  for (int i = 0; i < 2; ++i)
    counter[1] = add_lanes(counter[1], two[2 * i], two[2 * i + 1], &four[i]);
  counter[2] = add_lanes(counter[2], four[0], four[1], &carry);
  for (int k = 3; k < counters; ++k) {
    const Lanes both = counter[k] & carry;
    counter[k] ^= carry;
    carry = both;
  }
}

/// The class of each lane: scores are taken out of the counters class by class.
static inline void write_lanes(const Lanes* counter, int counters, int64_t images,
                               uint8_t* classes) {
  Lanes best = {}, index = {};
  for (int c = 0; c < kRamClasses; ++c) {
    Lanes score = {};
    for (int k = 0; k < counters; ++k) score |= (counter[k] >> c & 1) << k;
    const Lanes higher = (Lanes)(score > best);
    best = (score & higher) | (best & ~higher);
    index = (index & ~higher) | (higher & (uint16_t)c);
  }
  for (int s = 0; s < kLanes && s < images; ++s) classes[s] = (uint8_t)index[s];
}

static inline void classify_tile(const WisardModel* model, const uint16_t* table,
                                 const uint64_t* planes, int64_t images, uint8_t* classes) {
  static const int kRams = 8;
  Lanes counter[kLaneVectors][kRamCounters];
  alignas(64) uint16_t words[kRams][kRamTile], address[kRamTile];
  memset(counter, 0, sizeof(counter));
  const int bits = 32 - __builtin_clz((unsigned)model->rams), counters = bits < 3 ? 3 : bits;
  for (int ram = 0; ram < model->rams; ram += kRams) {
    for (int i = 0; i < kRams; ++i) {
      if (ram + i >= model->rams) {
        memset(words[i], 0, sizeof(words[i]));
        continue;
      }
      ram_addresses(planes, model->order + (int64_t)(ram + i) * model->tuple, model->tuple,
                    address);
      const uint16_t* slice = table + ((int64_t)(ram + i) << model->tuple);
      for (int s = 0; s < kRamTile; ++s) words[i][s] = slice[address[s]];
    }
    for (int v = 0; v < kLaneVectors; ++v) add_rams(counter[v], counters, words, v * kLanes);
  }
  for (int v = 0; v < kLaneVectors && v * kLanes < images; ++v) {
    write_lanes(counter[v], counters, images - v * kLanes, classes + v * kLanes);
  }
}

static inline Status prepare_interleaved(const Shape& shape, Plan* plan) {
  const WisardModel* model = (const WisardModel*)shape.constants;
  const int64_t words = (int64_t)model->rams << model->tuple;
  plan->workspace_bytes = (size_t)words * sizeof(uint16_t);
  uint16_t* table = (uint16_t*)calloc((size_t)words, sizeof(uint16_t));
  plan->state = table;
  plan->release = free;
  if (table == nullptr) return {.what = "no memory for the table"};
  for (int c = 0; c < kRamClasses; ++c) {
    for (int64_t i = 0; i < words; ++i) {
      table[i] = (uint16_t)(table[i] | (model->counts[c * words + i] > model->bleach) << c);
    }
  }
  return {};
}

static inline Status launch_interleaved(const Launch& launch) {
  const WisardCall call = wisard_of(launch);
  for (int64_t tile = 0; tile < call.tiles; ++tile) {
    classify_tile(call.model, (const uint16_t*)launch.plan_state,
                  call.planes + tile * call.model->features * kRamTileWords,
                  call.images - tile * kRamTile, call.classes + tile * kRamTile);
  }
  return {};
}

}  // namespace ridge
