// The sums family's launch: all words of a working set are summed, the probe's problem "read".
//
//   dim {-, bytes, threads, words between two that follow each other (stride's alone)}
//   buffers  data[bytes / 8] uint64, random; out[threads] partial sums modulo 2^64, whose total counts; of a GPU's
//            rungs out[1]
//   an operation is a word that is loaded and added
#pragma once

#include <stdint.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

enum { kSumsStride = 3 };

struct Sums {
  const uint64_t* data;
  int64_t words;
  int64_t stride;  ///< in words
  int threads;
  uint64_t* out;  ///< one a thread
};

static inline Sums sums_of(const Launch& launch) {
  Sums s;
  s.data = (const uint64_t*)launch.buffers[0];
  s.words = launch.shape.dim[1] / 8;
  s.stride = launch.shape.dim[kSumsStride];
  s.threads = launch.shape.threads;
  s.out = (uint64_t*)launch.buffers[1];
  return s;
}

}  // namespace ridge
