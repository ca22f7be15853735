// The chase family's launch: lines of memory in a random cycle, each of which says which line is next. A chase follows
// it: no address is known before the line before has come.
//
//   dim {lines, chases}: the chases start at places of the cycle that are `steps` apart and take steps = lines / chases
//                        steps each, so that together they visit every line once, but for fewer than `chases`
//   Shape::constants     a Cycle, which prepare() lays out in lines of 64 bytes, on pages of its choice
//   buffers  start[chases] uint64, the lines to start from
//            out[1 + chases] uint64: a checksum of the visits, then the line where each chase ends. A chase makes of the
//            lines p that it comes to, in their order,  sum = rotated(sum) ^ p, from 0; the checksum is the exclusive
//            or of all chases' sums. Another order has another one.
//   an operation is one step
#pragma once

#include <stdint.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

enum { kMostChases = 12, kLineWords = 8 };

struct Cycle {
  const int32_t* next;  ///< [lines]
};

static inline uint64_t rotated(uint64_t sum) {
  return sum << 1 | sum >> 63;
}

struct Chase {
  const uint64_t* lines;  ///< word 0 of line i: the next one's word 0, counted in words
  int64_t chases, steps;
  const uint64_t* start;
  uint64_t *sum, *end;
};

static inline Chase chase_of(const Launch& launch) {
  Chase c;
  c.lines = (const uint64_t*)launch.plan_state;
  c.chases = launch.shape.dim[1];
  c.steps = launch.shape.dim[0] / c.chases;
  c.start = (const uint64_t*)launch.buffers[0];
  c.sum = (uint64_t*)launch.buffers[1];
  c.end = c.sum + 1;
  return c;
}

}  // namespace ridge
