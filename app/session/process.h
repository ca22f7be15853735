// A child process that speaks lines: its own process group, pipes on stdin, stdout and stderr, and
// one reader thread. Everything is bounded (line length, both queues, kept stderr), nothing here blocks
// except the destructor, and whatever happens the child is reaped and its group is gone afterwards.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
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
  ~Process();  ///< kill(), waits until has_ended(), at most 2.2 s; end()
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Queues one line (a newline is added) and writes what the pipe takes. Never blocks. A line beyond
  /// kMaxUnsentBytes is dropped, and takes_no_input() says so.
  void send(const std::string& line);
  bool takes_no_input() const { return takes_no_input_; }
  void flush();
  void close_input();

  /// Whole lines received since the last call, without their newlines. `was_full`: the reader had
  /// stopped at kMaxQueueBytes, so that more may be waiting in the pipe.
  std::vector<std::string> take_lines(bool* was_full = nullptr);
  /// Waits until a line waits, the output ended, or the time is over.
  void wait(double timeout_s);

  bool output_ended() const;  ///< stdout closed, or given up for an overlong line
  bool overlong_line() const;
  bool exited() const;  ///< the child is dead (not yet reaped)
  void signal_group(int signal) const;
  /// Kills the group. Its last lines may still come.
  void kill();
  /// After kill(): its output has ended and it can be reaped, or the time for that is over.
  bool has_ended() const;
  /// After kill(): stops reading, and reaps where has_ended(); where not, a thread reaps it whenever it comes
  /// out of the kernel. May be called again.
  Ending end();
  /// The last line of stderr that is not empty.
  std::string last_error_line() const;
  pid_t pid() const { return pid_; }

 private:
  Process() = default;
  void read_loop();
  bool read_output();
  bool read_errors();
  void queue_lines();
  void poke() const;
  void reap();

  using Clock = std::chrono::steady_clock;

  std::string mark_;  ///< "NAME=value" in the environment of the child and of what it starts
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1, poke_ = -1;
  std::string unsent_;
  bool takes_no_input_ = false;
  std::optional<Clock::time_point> killed_;
  std::function<void()> wake_;
  std::thread reader_;
  Ending ending_;

  std::string partial_;  ///< reader thread only

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  size_t queued_bytes_ = 0;
  std::string errors_;
  bool full_ = false, output_ended_ = false, overlong_ = false, stopping_ = false;
};

}  // namespace ridge::app
