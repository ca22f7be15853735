// How a launch of the problem "chains of fused multiply-adds" holds its sizes and buffers.
//
//   dim {what, n, lanes}: n passes; in each, every lane starts at its x, goes kFmaSteps times through
//   acc = a * acc + b,  and is added to its out.  2 kFmaSteps n lanes FLOP (the n additions are not counted)
//   buffers  x[lanes] fp32, random normal; ab[2] fp32 {a, b}; out[lanes] fp32
//   a is just above -1, so that the values stay apart and a missing per cent of the steps shows; more steps
//   than this in one go would let rounding hide them.
//
// ISA-flagged files include this: C-like.
#pragma once

#include <stdint.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

/// Steps of a chain before it starts afresh.
enum { kFmaSteps = 4096 };

struct FmaChains {
  int64_t n, lanes;
  const float *x, *ab;
  float* out;
};

static inline FmaChains fma_chains_of(const Launch& launch) {
  FmaChains p;
  p.n = launch.shape.dim[1];
  p.lanes = launch.shape.dim[2];
  p.x = (const float*)launch.buffers[0];
  p.ab = (const float*)launch.buffers[1];
  p.out = (float*)launch.buffers[2];
  return p;
}

}  // namespace ridge
