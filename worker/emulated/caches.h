// The caches that a launch's requests to device memory are led through: an L1 for the block that a core runs, which is
// empty when the block begins, and one L2 for all. Lines of 128 bytes in sectors of 32, the oldest line of a set goes
// first, and sets are found by a hash, so that a power of two as distance does no harm. A write goes through to L2, and
// reaches DRAM once for as long as its line stays. What other blocks of the same SM would leave in L1 is not known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace ridge::emulated {

constexpr uint64_t kSectorBytes = 32, kLineBytes = 128;

/// As large as every GPU's of the last years at least: an L1 with some shared memory taken, a T4's L2.
constexpr size_t kL1Bytes = 64 << 10, kL2Bytes = 4 << 20;

class SectorCache {
 public:
  explicit SectorCache(size_t bytes);
  /// Whether the sector was here; it is from now on. `sector`: an address over kSectorBytes.
  bool read(uint64_t sector);
  /// Whether it was written here before.
  bool write(uint64_t sector);
  void clear();

 private:
  struct Line {
    uint64_t number = UINT64_MAX;  ///< an address over kLineBytes
    uint64_t used = 0;
    uint8_t here = 0, written = 0;  ///< sectors, a bit each
  };
  Line& line_of(uint64_t sector);

  std::vector<Line> lines_;
  size_t sets_;
  uint64_t time_ = 0;
};

/// The L2 of a process, for all of its cores.
class SharedCache {
 public:
  bool read(uint64_t sector) {
    const std::lock_guard lock(mutex_);
    return cache_.read(sector);
  }
  bool write(uint64_t sector) {
    const std::lock_guard lock(mutex_);
    return cache_.write(sector);
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    cache_.clear();
  }

 private:
  std::mutex mutex_;
  SectorCache cache_{kL2Bytes};
};

}  // namespace ridge::emulated
