// The memory accesses of one call, in order: what the hooks of a traced object (hooks.h) hand over while a Recording is
// alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ridge::worker {

struct Access {
  uintptr_t at = 0;
  uint32_t bytes = 0;
  bool is_write = false;
};

struct AccessLog {
  std::vector<Access> accesses;  ///< in order
  int64_t on_stack = 0;          ///< accesses to the stack: left out of the list
  bool is_full = false;          ///< there were more than `most`
  bool has_threads = false;      ///< another thread had accesses too, which are not here
};

/// Records into `log` as long as it lives, accesses of this thread. One at a time.
class Recording {
 public:
  Recording(AccessLog* log, size_t most);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
};

/// What a traced object calls; ridge_trace_sink of hooks.h.
void take_access(const void* at, unsigned long bytes, int writes);

}  // namespace ridge::worker
