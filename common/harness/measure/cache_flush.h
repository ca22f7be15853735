// Makes the CPU's caches cold: what is read before a cold call, on which cores, and how much by each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::measure {

/// The data caches of one core that decide how much it has to read.
struct CoreCaches {
  int core = 0;
  int64_t own_bytes = 0;   ///< the level before the last: a core's own L2; 0 unknown
  int64_t last_bytes = 0;  ///< the last level; 0 unknown
  std::string
      last_shared;  ///< the cores that share the last level, as the system writes it: "0-7,64-71"
};

/// What one core reads in a flush.
struct FlushShare {
  int core = 0;  ///< -1: wherever the calling thread runs
  int64_t bytes = 0;
  int64_t begin =
      0;  ///< of those bytes in the memory that is read; cores of one last-level cache read different ones
};

/// The cores that this thread may use, in order; empty where the system does not say.
std::vector<int> usable_cores();
/// From `root`/sys/devices/system/cpu; `root` is "" but for tests.
std::vector<CoreCaches> read_core_caches(const std::string& root, const std::vector<int>& cores);
/// Each core reads twice its own cache, and those that share a last-level cache together twice that one. Caches of
/// unknown size count as one of 32 MiB.
std::vector<FlushShare> flush_shares(const std::vector<CoreCaches>& caches);

/// Reads, and writes nothing: dirty lines would make the timed call pay for writing them back.
class CacheFlush {
 public:
  /// Returns once the caches are cold. For one thread the calling thread reads twice the last-level cache. For several
  /// a thread on each core that this process may use reads that core's share; those threads have ended by then, so
  /// that none of them runs beside the timed call.
  void flush(bool every_core);
  /// What the last flush() read and where it ran.
  static const std::vector<FlushShare>& last();

 private:
  std::vector<FlushShare> here_, everywhere_;
  std::vector<uint64_t> memory_;
};

}  // namespace ridge::measure
