// One call of a CPU rung with every memory access recorded: the rung's own text, compiled once more with hooks before
// its loads and stores (hooks.h), run on a small problem and checked like any other. Never timed, never listed.
#pragma once

#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/kernel/family.h"
#include "common/harness/measure/device.h"
#include "common/harness/measure/observer.h"
#include "worker/trace/access_log.h"

namespace ridge::worker {

/// A buffer of the problem as the call saw it.
struct TracedBuffer {
  std::string name;
  uintptr_t at = 0;
  size_t bytes = 0, element_bytes = 4;
  bool is_output = false;
  BufferGrid grid;
};

struct TracedCall {
  AccessLog log;
  std::vector<TracedBuffer> buffers;
  double flop = 0;
};

/// Errors: unavailable, where a rung's accesses cannot be recorded whole, and why; cancelled.
Result<TracedCall> trace_rung(const std::string& kernel, const FamilyDesc& family,
                              const Params& params, measure::Device* cpu,
                              measure::Observer* observer);

}  // namespace ridge::worker
