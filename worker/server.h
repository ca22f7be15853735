// Carries out requests. One thread works through them in order; another one gives it its lines all the while, so that ping,
// cancel and ack act even while a kernel runs. Where there is one thread alone (a page that is not isolated) it does both in turns.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
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
  /// `runs_commands`: see Work.
  explicit Server(Emitter* emitter, bool runs_commands = false);
  ~Server();

  void say_hello();
  /// A line without its end, from any thread. What waits for no kernel is answered at once; a request joins the queue.
  void take_line(const std::string& line);
  /// Carries out the requests that wait. False after a `fatal` line: a device was lost and the worker has to end.
  bool serve_waiting();
  /// Whether `quit` has come.
  bool has_quit();
  /// Serves until `quit`; the exit code: 0, or 70 after a `fatal` line.
  int run();

 private:
  void take_cancel(int64_t target);
  void refuse(std::optional<int64_t> request, const Error& error);

  void get_ready();
  /// Until a request waits, or `quit` has come.
  void wait();
  /// Next request in order; none where none waits.
  std::optional<std::string> next();
  /// False when a device was lost and the worker has to end.
  bool serve(const Json& request);
  /// Sources that are asked for: somebody reads while a ladder of minutes runs.
  void serve_sources();
  bool is_cancelled(int64_t id);
  void done(int64_t id, RequestStatus status);

  Emitter* emitter_;
  bool runs_commands_;
  std::unique_ptr<Work> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<int64_t, std::string>> queue_;  ///< ids and lines of requests
  std::set<int64_t> cancelled_;                        ///< of requests still queued or running
  std::set<int64_t> open_;                             ///< requests queued or running
  bool quit_ = false;
};

}  // namespace ridge::worker
