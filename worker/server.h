// Carries out requests. The main thread works through them in order; a control thread reads stdin
// all the while, so that ping, cancel, ack and the end of input act even while a kernel runs.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/record/request.h"
#include "worker/emitter.h"

namespace ridge::worker {

class Work;  // worker/work.h: what a request asks to be measured

class Server {
 public:
  /// `end_process` must not return: it is called from the control thread at the end of stdin, also
  /// while the main thread is stuck in a kernel. `runs_commands`: see Work.
  Server(int in_fd, Emitter* emitter, void (*end_process)(), bool runs_commands = false);

  /// Says hello, serves until `quit`; the exit code: 0, or 70 after a `fatal` line.
  int run();

 private:
  void control_loop();
  void take_line(const std::string& line);
  void take_cancel(int64_t target);
  void refuse(std::optional<int64_t> request, const Error& error);

  /// Next request in order; none after `quit`.
  std::optional<std::string> next();
  /// False when a device was lost and the worker has to end.
  bool serve(const Json& request, Work* work);
  /// Sources that are asked for: somebody reads while a ladder of minutes runs.
  void serve_sources(Work* work);
  bool is_cancelled(int64_t id);
  void done(int64_t id, RequestStatus status);

  int in_fd_;
  Emitter* emitter_;
  void (*end_process_)();
  bool runs_commands_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<int64_t, std::string>> queue_;  ///< ids and lines of requests
  std::set<int64_t> cancelled_;                        ///< of requests still queued or running
  std::set<int64_t> open_;                             ///< requests queued or running
  bool quit_ = false;
};

}  // namespace ridge::worker
