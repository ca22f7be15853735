// A command, run once: a process with its arguments, started, waited for, and judged by how it ended. No shell is
// between: what its time holds is the command's own start, work, and end. It runs in this process's folder and with its
// environment; its input is empty. What it writes is kept in memory.
//
// Whatever a command does (run for ever, write without end, start others that leave its group), call() returns, and
// nothing of it runs on: its starter, a small process (command_start.h), adopts what a command leaves behind, and ends it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/core/result.h"

namespace ridge::measure {

/// The most that a call may write: to its standard output, and to its standard error.
inline constexpr int64_t kMostCommandOutput_bytes = int64_t{64} << 20;

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
  ~CommandRunner();
  CommandRunner(const CommandRunner&) = delete;
  CommandRunner& operator=(const CommandRunner&) = delete;

  /// Starts the starter (command_start.h). Error unavailable: it is not beside this program.
  Result<void> open();
  /// Runs `words` to its end. `name` begins every error. Errors: invalid, it did not end with code 0 (its last line of
  /// standard error says more), was ended for its time or its output; cancelled; unavailable, no process could be made;
  /// worker, the starter has gone.
  Result<CommandCall> call(const std::string& name, const std::vector<std::string>& words);
  /// Runs a check with the output of the last call() as its input. The error invalid says what the check said.
  Result<void> check(const std::vector<std::string>& words);
  /// What the last call() wrote to its standard output.
  Result<std::string> output() const;
  int64_t output_bytes() const;

 private:
  enum class Stopped { no, limit, output, cancelled };
  /// A memory file that takes what a process writes.
  struct Sink {
    int fd = -1;
    int64_t bytes() const;
    void empty() const;
  };
  Result<CommandCall> run(const std::string& name, const std::vector<std::string>& words,
                          bool is_check);
  /// Waits until the process has ended, and ends it where it has to; why.
  Stopped watch(pid_t pid, const Sink& out) const;
  Stopped why_stop(const Sink& out, double deadline_s) const;
  bool read_whole(void* to, size_t bytes) const;
  bool send_whole(const std::string& bytes) const;
  std::string last_error_line() const;
  Error ending_error(const std::string& name, Stopped why, int status) const;

  double call_limit_s_;
  std::function<bool()> cancelled_;
  Sink out_, check_out_, err_;
  pid_t starter_ = -1;
  int socket_ = -1;
};

}  // namespace ridge::measure
