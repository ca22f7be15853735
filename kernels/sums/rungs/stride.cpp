// ridge: flags=-O3
//
// Idea      The words are visited in steps of `stride`: with 8, one word of each cache line, then the next word of
//           each line, eight times through the whole set.
// Changed   The start of this part. Every word is summed once, as in the rungs after it.
// Limits    Memory moves whole lines of 64 bytes, and each visit uses 8 of them. Where the set does not fit a cache, a
//           line is fetched again for each of its words.
// Look at   Bandwidth counts each byte once, so it is what was used. Times 8: what was moved, if each visit fetches its
//           line again. Beside in_order's: which of the two moves more a second?
// Source    Drepper, What Every Programmer Should Know About Memory (2007), section 3.3.
#include "kernels/sums/sums.h"

namespace ridge {
namespace {

/// Four sums, so that no addition waits for the one before.
uint64_t sum_from(const Sums& s, int64_t first) {
  const int64_t step = s.stride;
  uint64_t acc[4] = {};
  int64_t i = first;
  for (; i + 3 * step < s.words; i += 4 * step) {
    for (int j = 0; j < 4; ++j) acc[j] += s.data[i + j * step];
  }
  for (; i < s.words; i += step) acc[0] += s.data[i];
  return acc[0] + acc[1] + acc[2] + acc[3];
}

Status launch_stride(const Launch& launch) {
  const Sums s = sums_of(launch);
  uint64_t total = 0;
  for (int64_t first = 0; first < s.stride; ++first) total += sum_from(s, first);
  for (int i = 0; i < s.threads; ++i) s.out[i] = 0;
  s.out[0] = total;
  return {};
}

RIDGE_KERNEL(sums, cpu, stride, .launch = launch_stride);

}  // namespace
}  // namespace ridge
