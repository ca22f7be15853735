// A model of a CPU's data caches: sets, ways and lines, each set least recently used.
//
// Not in the model: prefetchers (which hide misses, and do not avoid them), other cores, pages. So it speaks of traffic,
// not of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ridge::measure {

struct CacheShape {
  int64_t sets = 0, ways = 0, line_bytes = 64;
  int64_t bytes() const { return sets * ways * line_bytes; }
};

/// Data caches of this machine, the first level first; empty where the system does not tell.
const std::vector<CacheShape>& machine_cache_shapes();

/// One level: each set's lines, the one used last in front. Lines are counted from 0.
class CacheSets {
 public:
  explicit CacheSets(const CacheShape& shape)
      : sets_(shape.sets), ways_(shape.ways), lines_(size_t(shape.sets * shape.ways), -1) {}

  /// Whether it was there; it is now.
  bool use(int64_t line) {
    int64_t* set = lines_.data() + line % sets_ * ways_;
    if (set[0] == line) return true;
    int64_t at = 1;
    while (at < ways_ && set[at] != line) ++at;
    const bool found = at < ways_;
    for (int64_t i = found ? at : ways_ - 1; i > 0; --i) set[i] = set[i - 1];
    set[0] = line;
    return found;
  }

  /// Whether it is there; nothing changes.
  bool holds(int64_t line) const {
    const int64_t* set = lines_.data() + line % sets_ * ways_;
    for (int64_t at = 0; at < ways_; ++at)
      if (set[at] == line) return true;
    return false;
  }

 private:
  int64_t sets_, ways_;
  std::vector<int64_t> lines_;
};

}  // namespace ridge::measure
