// ridge: isa=avx512f flags=-O2
//
// Idea      The fastest way through memory: one load for each cache line, eight sums side by side, each thread its own
//           slice.
// Changed   read_portable takes a line with several loads. Loads wait in the core until their line has come, so with
//           one for each line as many lines as possible are on their way.
// Limits    DRAM bandwidth, once the data are several times the last-level cache; for one thread the cache lines a core
//           can have in flight.
#include <immintrin.h>

#include "kernels/probe/read_slices.h"
#include "kernels/runtime/cpu/sum_words.h"

namespace ridge {
namespace {

uint64_t sum_lines(const uint64_t* words, int64_t count) {
  __m512i sum[8];
  for (int j = 0; j < 8; ++j) sum[j] = _mm512_setzero_si512();
  int64_t i = 0;
  for (; i + 64 <= count; i += 64) {
    for (int j = 0; j < 8; ++j)
      sum[j] = _mm512_add_epi64(sum[j], _mm512_loadu_si512(words + i + 8 * j));
  }
  for (int j = 1; j < 8; ++j) sum[0] = _mm512_add_epi64(sum[0], sum[j]);
  uint64_t lanes[8];
  _mm512_storeu_si512(lanes, sum[0]);
  return sum_words(lanes, 8) + sum_words(words + i, count - i);
}

Status launch_read(const Launch& launch) {
  return launch_read_slices(launch, sum_lines);
}

RIDGE_KERNEL(probe, cpu, read_avx512, .launch = launch_read);

}  // namespace
}  // namespace ridge
