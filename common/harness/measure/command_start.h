// What a Starter (starter.h) and its process tell each other. The starter is a small program of its own beside the worker: a
// process begins as a copy of the one that makes it, and a worker is large. From the worker itself each command took 4 ms
// of CPU time for that copy, and no peak memory below 100 MB could be told.
//
// The same machine and the same build: plain structs over a socket. For each call: CommandStart and its words, then
// CommandBegun, CommandEnded; then the worker lets the number of the process go (one byte), and CommandReaped ends it.
#pragma once

#include <cstdint>

namespace ridge::measure {

struct CommandStart {
  uint32_t word_bytes = 0;   ///< that follow: each word with a zero at its end
  uint8_t reads_output = 0;  ///< 1: its standard input is what the last side wrote
  uint8_t is_check = 0;      ///< 1: its standard output goes to the check's file
  uint8_t talks = 0;         ///< 1: it gets the talk's socket, as kLibraryTalk
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
                     kStarterErrors = 6, kStarterTalk = 7;

inline constexpr const char* kStarterName = "ridgepoint-starter";

// ---- a library ------------------------------------------------------------------------------------
// The starter's program is also the process that a user's library is loaded into: `ridgepoint-starter --library FILE
// SIDE`, with its standard output as the place where outputs are exchanged. For each LibraryAsk one LibraryAnswer and its
// sentence.

inline constexpr const char* kLibraryOption = "--library";
inline constexpr int kLibraryTalk = 3;

enum class LibraryTask : int32_t {
  load,    ///< and prepare
  time,    ///< `calls` runs, after one that is not timed
  output,  ///< overwrites the output with `poison`, runs once, and writes the output to the exchange
  reference,  ///< writes the right output to the exchange
  check,      ///< judges the output in the exchange
  teardown,
};
struct LibraryAsk {
  LibraryTask task = LibraryTask::load;
  int32_t poison = 0;  ///< a byte
  int64_t calls = 1;
};
enum class LibraryFault : int32_t {
  none,
  not_loaded,  ///< by load: no library, none of this ABI, or no such side
  failed,      ///< a function of it said so
};
struct LibraryAnswer {
  LibraryFault fault = LibraryFault::none;
  uint32_t text_bytes = 0;      ///< of the sentence that follows
  double t_ns = 0, cpu_ns = 0;  ///< of each timed run; CPU time of all threads
  double peak_bytes = 0;
  // By load:
  uint64_t output_bytes = 0;
  double tolerance = 0;
  int32_t elements = 0;  ///< as RidgepointOutput has it
  uint8_t has_reference = 0, has_check = 0;
};

}  // namespace ridge::measure
