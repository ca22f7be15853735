// Classifying bit-sliced: bit s of every vector belongs to image s. What the rungs share that differ in
// the width of a vector and in how they get a LUT's output. The including file defines first
//
//   Vec                        a type with & | ^ ~, of kVecWords 64-bit words
//   mux(s, a, b)               s ? a : b, bit by bit
//   full_add(a, b, c, &carry)  the sum bit of three
//   encode_64(encoder, pixels, planes)  64 images: RIDGE_ENCODE_64 of encoder.h
//   eight_luts(job, first, count, planes, out)  outputs of LUTs first ... of one class; out[count ...] = 0
//
// Scores are carry-save counters: bit k of 64 or 512 scores in one vector. The argmax compares them from
// the top bit down, and needs no score as a number. Harley-Seal counting: Warren, Hacker's Delight, 5-2.
#pragma once

#include <string.h>

#include "kernels/runtime/weightless/weightless.h"
#include "kernels/weightless/encoder.h"

namespace ridge {

enum { kMaxCounters = 18, kVecs = (int)kTileWords / (int)kVecWords };

struct Scores {
  Vec bit[kMaxCounters];
};

/// Adds eight outputs; what leaves the first three counters ripples upwards.
static inline void add_eight(Scores* s, int counters, const Vec* x) {
  Vec two[4], four[2], carry;
  for (int i = 0; i < 4; ++i) s->bit[0] = full_add(s->bit[0], x[2 * i], x[2 * i + 1], &two[i]);
  for (int i = 0; i < 2; ++i) s->bit[1] = full_add(s->bit[1], two[2 * i], two[2 * i + 1], &four[i]);
  s->bit[2] = full_add(s->bit[2], four[0], four[1], &carry);
  for (int k = 3; k < counters; ++k) {
    const Vec both = s->bit[k] & carry;
    s->bit[k] ^= carry;
    carry = both;
  }
}

/// Counters that hold any score of a class, three at least.
static inline int counters_for(int luts_per_class) {
  const int bits = 32 - __builtin_clz((unsigned)luts_per_class);
  return bits < 3 ? 3 : bits;
}

/// Where `score` is higher than `best` it replaces it, and so does the class: a tie stays with the lower.
static inline void keep_best(Scores* best, Vec* index, int counters, const Scores* score, int c) {
  Vec higher = {}, equal = ~higher;
  for (int k = counters - 1; k >= 0; --k) {
    higher |= equal & score->bit[k] & ~best->bit[k];
    equal &= ~(score->bit[k] ^ best->bit[k]);
  }
  for (int k = 0; k < counters; ++k) best->bit[k] = mux(higher, score->bit[k], best->bit[k]);
  for (int k = 0; k < 4; ++k) index[k] = (c >> k & 1) ? (index[k] | higher) : (index[k] & ~higher);
}

/// Bit i of the byte becomes byte i.
static inline uint64_t bits_to_bytes(uint64_t byte) {
  const uint64_t one_each = (byte * 0x0101010101010101) & 0x8040201008040201;
  return (one_each + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
}

/// The classes of up to 64 * kVecWords images as bytes.
static inline void write_classes(const Vec* index, int64_t images, uint8_t* classes) {
  uint64_t words[4][kVecWords];
  memcpy(words, index, sizeof(words));
  for (int64_t s = 0; s < images && s < 64 * kVecWords; s += 8) {
    uint64_t eight = 0;
    for (int k = 0; k < 4; ++k) {
      eight |= bits_to_bytes(words[k][s / 64] >> (s % 64) & 0xff) << k;
    }
    memcpy(classes + s, &eight, images - s < 8 ? (size_t)(images - s) : 8);
  }
}

/// The planes of one tile: as they lie, or encoded into the encoder's. What the last words hold beyond
/// the last image is never written out.
static inline const uint64_t* tile_planes(const Classify* c, int64_t tile, const Encoder* encoder) {
  if (c->pixels == nullptr) return c->planes + tile * c->model->features * kTileWords;
  for (int w = 0; w < kTileWords; ++w) {
    const int64_t first = tile * kTile + 64 * w, left = c->images - first;
    if (left <= 0) break;
    const uint8_t* pixels = c->pixels + first * kImageBytes;
    if (left < 64) pixels = (const uint8_t*)memcpy(encoder->tail, pixels, left * kImageBytes);
    encode_64(encoder, pixels, encoder->planes + w);
  }
  return encoder->planes;
}

/// One vector of images through all LUTs. planes: of the tile, at the vector's first word.
static inline void classify_vector(const Classify* c, const void* job, const uint64_t* planes,
                                   int64_t images, uint8_t* classes) {
  const int per_class = c->model->luts_per_class, counters = counters_for(per_class);
  Scores best = {};
  Vec index[4] = {};
  for (int k = 0; k < kImageClasses; ++k) {
    Scores score = {};
    for (int j = 0; j < per_class; j += 8) {
      Vec out[8];
      const int left = per_class - j;
      eight_luts(c->model, job, k * per_class + j, left < 8 ? left : 8, planes, out);
      add_eight(&score, counters, out);
    }
    keep_best(&best, index, counters, &score, k);
  }
  write_classes(index, images, classes);
}

/// The whole call. `encoder`: null where it starts from bits.
static inline void classify_all(const Classify* c, const void* job, const Encoder* encoder) {
  for (int64_t tile = 0; tile < c->tiles; ++tile) {
    const uint64_t* planes = tile_planes(c, tile, encoder);
    for (int v = 0; v < kVecs; ++v) {
      const int64_t first = tile * kTile + 64 * kVecWords * v;
      if (first >= c->images) break;
      classify_vector(c, job, planes + v * kVecWords, c->images - first, c->classes + first);
    }
  }
}

/// prepare() of a rung whose only state is the encoder.
static inline Status prepare_encoder(const Shape& shape, Plan* plan) {
  if (shape.dim[kLutFromPixels] == 0) return {};
  Encoder* encoder = make_encoder((const LutModel*)shape.constants);
  if (encoder == nullptr) return {.what = "no memory for a tile's planes"};
  plan->workspace_bytes = encoder->bytes;
  plan->state = encoder;
  plan->release = free_encoder;
  return {};
}

/// launch() of such a rung.
static inline Status launch_encoded(const Launch& launch) {
  const Classify c = classify_of(launch);
  classify_all(&c, nullptr, (const Encoder*)launch.plan_state);
  return {};
}

}  // namespace ridge
