// What a network asks of a lab's rungs, call by call: matrix products, convolutions. So the learner sees what a
// faster rung buys the whole. Data only; app/window/workload.h fills it in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge {

/// `calls` calls with these parameters in one pass of the network.
struct WorkloadPart {
  const char* title;
  const char* note;  ///< a sentence: what it is, and what is to be minded
  Params params;     ///< every part names the same ones; what is not named is the learner's
  int64_t calls;
};

struct Workload {
  const char* id;
  const char* title;  ///< a phrase: which network, in what use
  const char* note;   ///< what the table as published has, and where this differs
  std::vector<WorkloadPart> parts;
  double (*flop)(const Params& params);        ///< of one call
  std::string (*shape)(const Params& params);  ///< "64 × 56 × 56, 64 of 3 × 3"
};

}  // namespace ridge
