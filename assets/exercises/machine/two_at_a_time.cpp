// ridge: flags=-O3,-fno-tree-vectorize
//
// Exercise  Two at a time
// Level     3
// After     chase.cpu.pointer
// Task      A chase reads a line of memory to learn which line comes next, so
//           that each step waits for the line before. The rung before follows
//           one chase to its end, then the next. Two chases need nothing of
//           each other: take one step of both in each pass of the loop, and
//           two lines are on their way at once.
// Hint      Two variables, `one` and `two`: each is the word that its own chase
//           has come to.
// Hint      One loop over the steps; in it `one = c.lines[one]`, then the same
//           for `two`.
// Hint      Each chase has a checksum of its own: with_line(sum, line), and a
//           line is a word / kLineWords.
#include "kernels/chase/pages.h"

namespace ridge {
namespace {

Status prepare_two_at_a_time(const Shape& shape, Plan* plan) {
  return lay_out_cycle(shape, false, plan);
}

/// Chase i alone. Returns its checksum.
uint64_t follow_one(const Chase& c, int64_t i) {
  uint64_t place = c.start[i] * kLineWords, sum = 0;
  for (int64_t step = 0; step < c.steps; ++step) {
    place = c.lines[place];
    sum = with_line(sum, place / kLineWords);
  }
  c.end[i] = place / kLineWords;
  return sum;
}

/// Chases i and i + 1 side by side. Returns the total of their checksums.
uint64_t follow_two(const Chase& c, int64_t i) {
  uint64_t one = c.start[i] * kLineWords, two = c.start[i + 1] * kLineWords;
  uint64_t sum_one = 0, sum_two = 0;
  // solution: all steps of both
  for (int64_t step = 0; step < c.steps; ++step) {
    one = c.lines[one];
    two = c.lines[two];
    sum_one = with_line(sum_one, one / kLineWords);
    sum_two = with_line(sum_two, two / kLineWords);
  }
  // end of solution
  c.end[i] = one / kLineWords;
  c.end[i + 1] = two / kLineWords;
  return sum_one + sum_two;
}

Status launch_two_at_a_time(const Launch& launch) {
  const Chase c = chase_of(launch);
  uint64_t all = 0;
  int64_t i = 0;
  for (; i + 2 <= c.chases; i += 2) all += follow_two(c, i);
  if (i < c.chases) all += follow_one(c, i);
  *c.sum = all;
  return {};
}

RIDGE_KERNEL(chase, cpu, two_at_a_time, .prepare = prepare_two_at_a_time,
             .launch = launch_two_at_a_time);

}  // namespace
}  // namespace ridge
