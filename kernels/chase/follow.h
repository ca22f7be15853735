// The loop of several chases at once, a register for each.
#pragma once

#include "kernels/chase/chase.h"

namespace ridge {

template <int kChases>
static inline void follow(const Chase& c) {
  uint64_t place[kChases], sum = 0;
  for (int i = 0; i < kChases; ++i) place[i] = c.start[i] * kLineWords;
  for (int64_t step = 0; step < c.steps; ++step) {
    uint64_t visited = 0;
    for (int i = 0; i < kChases; ++i) {
      place[i] = c.lines[place[i]];
      visited += place[i];
    }
    sum = with_line(sum, visited / kLineWords);
  }
  *c.sum = sum;
  for (int i = 0; i < kChases; ++i) c.end[i] = place[i] / kLineWords;
}

const char* const kTooManyChases = "takes 12 chases at most (chases=12)";

typedef void (*Follow)(const Chase& c);
const Follow kFollow[kMostChases] = {follow<1>, follow<2>,  follow<3>,  follow<4>,
                                     follow<5>, follow<6>,  follow<7>,  follow<8>,
                                     follow<9>, follow<10>, follow<11>, follow<12>};

}  // namespace ridge
