// The system calls of a learner's code and of the compiler, by libseccomp. Without it, which is a matter of the build,
// all are open.
#pragma once

#include <string>

namespace ridge::worker {

enum class Calls {
  of_cpu,      ///< those of a list, and no others
  of_gpu,      ///< CUDA's are many and change with the driver: all but those of a list
  of_compiler  ///< programs are started; no connections, no other process
};

/// From here on, for this thread and those that it starts. Needs PR_SET_NO_NEW_PRIVS.
bool limit_calls(Calls calls);

/// Empty: limit_calls() works here.
std::string why_no_calls();

}  // namespace ridge::worker
