// A worker that speaks lines. Of a program (process.cpp): a child with its own process group, pipes on stdin, stdout and
// stderr, and one reader thread. Everything is bounded (line length, both queues, kept stderr), nothing here blocks except
// the destructor, and whatever happens the child is reaped and its group is gone afterwards. Of a page (web/process.cpp): a
// Web Worker, which has neither signals nor an exit code.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/core/program.h"
#include "common/core/result.h"

namespace ridge::app {

/// The protocol's longest line, and how much may wait unread before the reader stops reading (the
/// pipe then fills and the child waits: backpressure instead of memory).
inline constexpr size_t kMaxLineBytes = 64 * 1024;
inline constexpr size_t kMaxQueueBytes = 1024 * 1024;
/// How much may wait for a child that does not read its input.
inline constexpr size_t kMaxUnsentBytes = 4 * 1024 * 1024;

class Process {
 public:
  /// `wake` is called from the reader thread whenever something new waits. Errors: `unavailable`
  /// when the program is missing or cannot be executed.
  static Result<std::unique_ptr<Process>> start(const std::vector<std::string>& argv,
                                                std::function<void()> wake);
  virtual ~Process() = default;  ///< kill(), waits until has_ended(), at most 2.2 s; end()
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Queues one line (a newline is added) and writes what the pipe takes. Never blocks. A line beyond
  /// kMaxUnsentBytes is dropped, and takes_no_input() says so.
  virtual void send(const std::string& line) = 0;
  virtual bool takes_no_input() const = 0;
  /// Whether it takes a line in the middle of its work. One that does not answers no ping and hears no cancel: it is ended.
  virtual bool reads_while_working() const { return true; }
  virtual void flush() = 0;
  virtual void close_input() = 0;

  /// Whole lines received since the last call, without their newlines. `was_full`: the reader had
  /// stopped at kMaxQueueBytes, so that more may be waiting in the pipe.
  virtual std::vector<std::string> take_lines(bool* was_full = nullptr) = 0;
  /// Waits until a line waits, the output ended, or the time is over.
  virtual void wait(double timeout_s) = 0;

  virtual bool output_ended() const = 0;  ///< stdout closed, or given up for an overlong line
  virtual bool overlong_line() const = 0;
  virtual bool exited() const = 0;  ///< the child is dead (not yet reaped)
  virtual void signal_group(int signal) = 0;
  /// Kills the group. Its last lines may still come.
  virtual void kill() = 0;
  /// After kill(): its output has ended and it can be reaped, or the time for that is over.
  virtual bool has_ended() const = 0;
  /// After kill(): stops reading, and reaps where has_ended(); where not, a thread reaps it whenever it comes
  /// out of the kernel. May be called again.
  virtual Ending end() = 0;
  /// The last line of stderr that is not empty.
  virtual std::string last_error_line() const = 0;
  virtual pid_t pid() const = 0;  ///< -1: none, or it has been reaped

 protected:
  Process() = default;
};

}  // namespace ridge::app
