// Writes the worker's lines (docs/protocol.md): one locked writer on a descriptor of its own, so that
// neither a library's print nor two threads can break a line.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>

#include "common/record/json.h"

namespace ridge::worker {

inline constexpr size_t kLineBytes = 64 * 1024;

class Emitter {
 public:
  /// `on_closed` is called when the reader is gone (EPIPE); it need not return. `hears_acks`: another thread takes them.
  Emitter(int fd, void (*on_closed)(), bool hears_acks = true)
      : fd_(fd), on_closed_(on_closed), hears_acks_(hears_acks) {}

  /// Adds ridgepoint, type, seq and t_s, and writes the line; returns its seq. A line that would pass
  /// kLineBytes is replaced by an `error` line that says so.
  int64_t emit(const char* type, Json fields);
  /// The same with `list` under `key`, in as many lines as it takes.
  void emit_list(const char* type, const Json& fields, const char* key, const Json& list);
  /// Leaves the line out when the reader is behind.
  void emit_droppable(const char* type, Json fields);

  /// Writes a `timing` line and waits until it is acknowledged, 50 ms at most; not at all where no ack is
  /// heard.
  void announce(Json fields);
  /// From the control thread.
  void acknowledge(int64_t seq);

 private:
  bool writable() const;
  void write_line(const std::string& line);

  int fd_;
  void (*on_closed_)();
  bool hears_acks_;
  std::mutex mutex_;
  int64_t seq_ = 0;
  std::mutex ack_mutex_;
  std::condition_variable acked_;
  int64_t ack_ = 0;
};

}  // namespace ridge::worker
