// The roofline family's launch: each element of a working set is loaded, goes `fmas` times through
//   v = a * v + b,
// and is added to its sum. The more multiply-adds an element, the less memory has to give for each.
//
//   dim {blocks, fmas}: kRoofBlock elements a block, 1 KiB
//   buffers  x[blocks * kRoofBlock] fp32, random normal; ab[2] fp32 {a, b};
//            out[blocks * kRoofSums] fp32: of each block, sum l is of its elements l, l + kRoofSums, ...
//   an operation is an element; 2 fmas + 1 FLOP each
#pragma once

#include <stdint.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

constexpr int kRoofBlock = 256, kRoofSums = 8, kMostRoofFmas = 256;

struct Roofline {
  int64_t blocks, fmas;
  const float *x, *ab;
  float* out;
};

static inline Roofline roofline_of(const Launch& launch) {
  Roofline r;
  r.blocks = launch.shape.dim[0];
  r.fmas = launch.shape.dim[1];
  r.x = (const float*)launch.buffers[0];
  r.ab = (const float*)launch.buffers[1];
  r.out = (float*)launch.buffers[2];
  return r;
}

}  // namespace ridge
