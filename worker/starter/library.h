// The process that a user's library is loaded into (include/ridgepoint.h): its starter started it, and a worker asks it
// over a socket (common/harness/measure/command_start.h). Whatever the library does, no other process has to endure it.
#pragma once

namespace ridge {

/// Answers until the socket closes; the exit code.
int host_library(const char* file, const char* side);

}  // namespace ridge
