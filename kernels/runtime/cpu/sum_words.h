// Words summed in order, eight sums at a time: an addition needs no other's result, and a compiler makes vectors of
// them. C-like.
#pragma once

#include <stdint.h>

namespace ridge {

/// Modulo 2^64.
static inline uint64_t sum_words(const uint64_t* words, int64_t count) {
  uint64_t acc[8] = {};
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (int j = 0; j < 8; ++j) acc[j] += words[i + j];
  }
  for (; i < count; ++i) acc[0] += words[i];
  uint64_t total = 0;
  for (int j = 0; j < 8; ++j) total += acc[j];
  return total;
}

}  // namespace ridge
