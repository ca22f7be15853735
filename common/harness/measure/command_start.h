// What a CommandRunner and its starter tell each other. The starter is a small program of its own beside the worker: a
// process begins as a copy of the one that makes it, and a worker is large. From the worker itself each command took 4 ms
// of CPU time for that copy, and no peak memory below 100 MB could be told.
//
// The same machine and the same build: plain structs over a socket. For each call: CommandStart and its words, then
// CommandBegun, CommandEnded; then the runner lets the number of the process go (one byte), and CommandReaped ends it.
#pragma once

#include <cstdint>

namespace ridge::measure {

struct CommandStart {
  uint32_t word_bytes = 0;   ///< that follow: each word with a zero at its end
  uint8_t reads_output = 0;  ///< 1: its standard input is what the last side wrote
  uint8_t is_check = 0;      ///< 1: its standard output goes to the check's file
};
struct CommandBegun {
  int32_t pid =
      -1;  ///< also the number of its process group; it is not reaped before it was let go
  int32_t failed = 0;  ///< errno; 0: it runs
};
struct CommandEnded {
  double t_ns = 0;  ///< from before the process was made
};
struct CommandReaped {
  int32_t status = 0;  ///< as wait() has it
  int32_t left_running = 0;
  double cpu_ns = 0, peak_bytes = 0;
};

// The starter's descriptors; 0 is an empty input.
inline constexpr int kStarterSocket = 3, kStarterOutput = 4, kStarterCheckOutput = 5,
                     kStarterErrors = 6;

inline constexpr const char* kStarterName = "ridgepoint-starter";

}  // namespace ridge::measure
