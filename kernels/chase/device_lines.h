// The cycle in a GPU's memory, and a thread that follows it.
#pragma once

#include "kernels/chase/chase.h"

namespace ridge {

/// What prepare() does on a GPU: plan->state is word 0 of line 0, and word 0 of each line is the address of the next
/// one's. So nothing is computed between two loads.
Status upload_cycle(const Shape& shape, Plan* plan);

#ifdef __CUDACC__
/// All steps of chase i. Returns its checksum.
__device__ inline uint64_t follow_chase(const Chase& c, int64_t i) {
  const auto line_of = [&](const uint64_t* place) {
    const auto bytes = reinterpret_cast<uint64_t>(place) - reinterpret_cast<uint64_t>(c.lines);
    return bytes / (kLineWords * sizeof(uint64_t));
  };
  const uint64_t* place = c.lines + c.start[i] * kLineWords;
  uint64_t sum = 0;
  for (int64_t step = 0; step < c.steps; ++step) {
    place = reinterpret_cast<const uint64_t*>(__ldg(place));
    sum = with_line(sum, line_of(place));
  }
  c.end[i] = line_of(place);
  return sum;
}
#endif

}  // namespace ridge
