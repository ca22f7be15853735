// What a loop nest loads from each level of the caches, by a model of them: sets, ways and lines as this machine
// has them, each level least recently used, a line that is missed in one level looked for in the next. The nest's
// own loops drive it, line by line.
//
// Not in the model: prefetchers (which hide misses, and do not avoid them), the other cores, pages. So the
// prediction is of traffic, not of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/harness/measure/caches.h"
#include "kernels/loops/nest.h"

namespace ridge::loops {

using CacheLevel = measure::CacheShape;

struct Traffic {
  double touched = 0;          ///< lines, by every round of the innermost loop
  std::vector<double> missed;  ///< lines, of each level
  double line_bytes = 64;
  double share =
      1;  ///< of the work that was simulated; what came more than once there is scaled to all of it
};

/// At most kMaxLines lines are simulated: the beginning stands for the rest then.
inline constexpr int64_t kMaxLines = 12'000'000;
Traffic predict(const Nest& nest, int order, const std::vector<CacheLevel>& levels, int64_t max_lines = kMaxLines);

/// "model: 1.2 MB from L2, 820 kB from L3, 800 kB from memory"; `times` such nests make a call.
void describe(const Traffic& traffic, double times, char* text, size_t size);

}  // namespace ridge::loops
