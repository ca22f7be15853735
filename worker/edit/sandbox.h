// Limits for a process that runs a learner's code. They are against accidents (an endless loop, a wild
// pointer, a stray file, too much memory), not against malice: whoever presses Edit runs their own code.
#pragma once

#include <string>
#include <vector>

namespace ridge::worker {

struct Limits {
  std::string folder;                 ///< its own: the one place where it may write
  std::vector<std::string> readable;  ///< beside the system's own folders
  bool gpu = false;  ///< CUDA reserves more addresses than there is memory and opens its devices
};

/// For this process and all threads it will start; to be called while it has one. Returns what this
/// machine cannot limit, one phrase each.
std::vector<std::string> limit_process(const Limits& limits);

}  // namespace ridge::worker
