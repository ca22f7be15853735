// A command, run once: a process with its arguments, started, waited for, and judged by how it ended. No shell is
// between: what its time holds is the command's own start, work, and end. It runs in this process's folder and with its
// environment; its input is empty. What it writes is kept in memory.
//
// Whatever a command does (run for ever, write without end, start others that leave its group), call() returns, and
// nothing of it runs on: its starter, a small process, adopts what a command leaves behind, and ends it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/measure/starter.h"

namespace ridge::measure {

struct CommandCall {
  double t_ns = 0;    ///< from before its process is made until it has ended
  double cpu_ns = 0;  ///< of it and of those of its children that it waited for
  double peak_bytes =
      0;  ///< its largest resident set; 0: no larger than what it began with, a copy of this process
  int left_running = 0;  ///< processes that it left behind, which were ended
};

/// The program of a command, found on PATH as execvp() would. Error unavailable: there is none, or none that may be
/// executed.
Result<std::string> find_program(const std::string& name);

class CommandRunner {
 public:
  /// `cancelled` is asked every 20 ms while a call lasts.
  CommandRunner(double call_limit_s, std::function<bool()> cancelled);
  /// Error unavailable: the starter is not beside this program.
  Result<void> open() { return starter_.open(); }
  /// Runs `words` to its end. `name` begins every error. Errors: invalid, it did not end with code 0 (its last line of
  /// standard error says more), was ended for its time or its output; cancelled; unavailable, no process could be made;
  /// worker, the starter has gone.
  Result<CommandCall> call(const std::string& name, const std::vector<std::string>& words);
  /// Runs a check with the output of the last call() as its input. The error invalid says what the check said.
  Result<void> check(const std::vector<std::string>& words);
  /// What the last call() wrote to its standard output, or what was put there in its place.
  Result<std::string> output() const { return starter_.out().read(); }
  int64_t output_bytes() const { return starter_.out().bytes(); }
  Result<void> put_output(const std::string& bytes) { return starter_.out().write(bytes); }

 private:
  Result<CommandCall> run(const std::string& name, const std::vector<std::string>& words,
                          bool is_check);

  double call_limit_s_;
  Starter starter_;
};

}  // namespace ridge::measure
