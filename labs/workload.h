// The products that a network is made of: what a lab's rungs would have to multiply in it, so that the
// learner sees what a faster rung buys the whole. Data only; app/workload.h fills it in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge {

/// C (m x n) = A (m x k) * B (k x n), `calls` times in one pass of the network.
struct WorkloadPart {
  const char* title;
  const char* note;  ///< a sentence: what it is, and what is to be minded
  int64_t m, n, k, calls;

  /// Multiply-adds of all calls.
  double macs() const { return double(m) * double(n) * double(k) * double(calls); }
  Params params() const { return {{"m", m}, {"n", n}, {"k", k}}; }
};

struct Workload {
  const char* id;
  const char* title;  ///< a phrase: which network, in what use
  const char* note;   ///< what the table as published has, and where this differs
  std::vector<WorkloadPart> parts;
};

}  // namespace ridge
