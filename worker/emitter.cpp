#include "worker/emitter.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ridge::worker {
namespace {

/// Entries a line, before its length is looked at: a sample takes about 150 bytes.
constexpr size_t kEntriesPerLine = 256;
/// Room for the fields that every line carries.
constexpr size_t kHeadBytes = 128;
constexpr auto kAckWait = std::chrono::milliseconds(50);

/// On the clock of telemetry, to the microsecond.
double now_s() {
  using Clock = std::chrono::steady_clock;
  return std::round(1e6 * std::chrono::duration<double>(Clock::now().time_since_epoch()).count()) /
         1e6;
}

}  // namespace

int64_t Emitter::emit(const char* type, Json fields) {
  // Dumped once for its length and once with its seq: lines are short, and seq must not have gaps.
  if (dump_json(fields).size() + kHeadBytes > kLineBytes) {
    Json shorter = {{"error", Error{ErrorCode::worker,
                                    std::string("a line of type ") + type + " would pass 64 KiB",
                                    "worker", ""}}};
    if (fields.contains("request")) shorter["request"] = fields["request"];
    fields = std::move(shorter);
    type = "error";
  }
  fields["ridgepoint"] = 1;
  fields["type"] = type;
  if (!fields.contains("t_s")) fields["t_s"] = now_s();
  const std::lock_guard lock(mutex_);
  fields["seq"] = ++seq_;
  write_line(dump_json(fields) + "\n");
  return seq_;
}

void Emitter::emit_list(const char* type, const Json& fields, const char* key, const Json& list) {
  const double t_s = now_s();  // one moment, however many lines it takes
  for (size_t begin = 0; begin < list.size();) {
    size_t count = std::min(kEntriesPerLine, list.size() - begin);
    Json line = fields;
    line["t_s"] = t_s;
    for (;;) {
      const auto first = list.begin() + static_cast<std::ptrdiff_t>(begin);
      line[key] = Json(Json::array_t(first, first + static_cast<std::ptrdiff_t>(count)));
      if (count == 1 || dump_json(line).size() + kHeadBytes <= kLineBytes) break;
      count /= 2;
    }
    emit(type, std::move(line));
    begin += count;
  }
}

void Emitter::emit_droppable(const char* type, Json fields) {
  if (writable()) emit(type, std::move(fields));
}

void Emitter::announce(Json fields) {
  const int64_t seq = emit("timing", std::move(fields));
  if (!hears_acks_) return;
  std::unique_lock lock(ack_mutex_);
  acked_.wait_for(lock, kAckWait, [&] { return ack_ >= seq; });
}

void Emitter::acknowledge(int64_t seq) {
  const std::lock_guard lock(ack_mutex_);
  ack_ = std::max(ack_, seq);
  acked_.notify_all();
}

/// A pipe counts as writable while it has room for 4 KiB: a `phase` then does not wait.
bool Emitter::writable() const {
  pollfd state = {.fd = fd_, .events = POLLOUT, .revents = 0};
  return poll(&state, 1, 0) == 1 && (state.revents & POLLOUT) != 0;
}

void Emitter::write_line(const std::string& line) {
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t wrote = ::write(fd_, line.data() + done, line.size() - done);
    if (wrote >= 0) {
      done += static_cast<size_t>(wrote);
    } else if (errno == EAGAIN) {  // whoever shares the descriptor made it non-blocking
      pollfd state = {.fd = fd_, .events = POLLOUT, .revents = 0};
      poll(&state, 1, 1000);
    } else if (errno != EINTR) {
      on_closed_();
      return;
    }
  }
}

}  // namespace ridge::worker
