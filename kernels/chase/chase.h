// The chase family's launch: lines of memory in a random cycle, each of which says which line is next. A chase follows
// it: no address is known before the line before has come.
//
//   dim {lines, chases, steps}: the chases start at places of the cycle that are lines / chases apart and take `steps`
//                        steps each: one lap, lines / chases, so that together they visit every line once, but for
//                        fewer than `chases`. Small sets take so many laps that the first one, whose lines may have to
//                        come from further away than the others', and the start of a GPU's kernel do not count.
//   Shape::constants     a Cycle, which prepare() lays out in lines of 64 bytes, on pages of its choice or on a GPU
//   buffers  start[chases] uint64, the lines to start from
//            out[1 + chases] uint64: a checksum of the visits, then the line where each chase ends. A chase makes of the
//            lines p that it comes to, in their order,  sum = 5 sum + p, from 0; the checksum is the total of all chases'
//            sums, modulo 2^64. Another order has another one, and no number of laps cancels: 5 has the order 2^62.
//   an operation is one step
#pragma once

#include <stdint.h>

#include "common/core/host_device.h"
#include "common/harness/kernel/kernel.h"

namespace ridge {

/// On a CPU a register each, on a GPU a thread of one block each.
enum { kMostChases = 12, kMostGpuChases = 1024, kLineWords = 8 };

struct Cycle {
  const int32_t* next;  ///< [lines]
};

/// `sum` once `line` is visited. Linear: chases side by side may share a sum, of the total of their lines.
static inline RIDGE_HOST_DEVICE uint64_t with_line(uint64_t sum, uint64_t line) {
  return 5 * sum + line;
}

struct Chase {
  const uint64_t*
      lines;  ///< word 0 of line i: the next one's word 0, counted in words; on a GPU its address
  int64_t chases, steps;
  const uint64_t* start;
  uint64_t *sum, *end;
};

static inline Chase chase_of(const Launch& launch) {
  Chase c;
  c.lines = (const uint64_t*)launch.plan_state;
  c.chases = launch.shape.dim[1];
  c.steps = launch.shape.dim[2];
  c.start = (const uint64_t*)launch.buffers[0];
  c.sum = (uint64_t*)launch.buffers[1];
  c.end = c.sum + 1;
  return c;
}

}  // namespace ridge
