// A worker of a page: the same program in a Web Worker, a line a message each way. web/page.js holds the Web Worker.
#include "app/session/process.h"

#include <emscripten.h>

#include <cstdlib>
#include <utility>

#include "common/core/background.h"

// clang-format off
EM_JS(int, ridge_worker_start, (), { return ridgepoint.worker.start(() => Module['_ridge_worker_spoke']()); });
EM_JS(void, ridge_worker_send, (int id, const char* line), { ridgepoint.worker.send(id, UTF8ToString(line)); });
/// The oldest line that waits, to be freed; null: none.
EM_JS(char*, ridge_worker_take, (int id), {
  const line = ridgepoint.worker.take(id);
  if (line === undefined) return 0;
  const bytes = lengthBytesUTF8(line) + 1;
  const copy = _malloc(bytes);
  stringToUTF8(line, copy, bytes);
  return copy;
});
/// What the browser said of its end, to be freed; null: it lives.
EM_JS(char*, ridge_worker_fault, (int id), {
  const fault = ridgepoint.worker.fault(id);
  if (fault === undefined) return 0;
  const bytes = lengthBytesUTF8(fault) + 1;
  const copy = _malloc(bytes);
  stringToUTF8(fault, copy, bytes);
  return copy;
});
EM_JS(void, ridge_worker_end, (int id), { ridgepoint.worker.end(id); });
// clang-format on

namespace ridge::app {
namespace {

std::function<void()> g_wake;

class WebWorker final : public Process {
 public:
  explicit WebWorker(int id) : id_(id) {}
  ~WebWorker() override { kill(); }

  void send(const std::string& line) override {
    if (!is_ended_) ridge_worker_send(id_, line.c_str());
  }
  bool takes_no_input() const override { return false; }
  bool reads_while_working() const override { return worker_has_threads(); }
  void flush() override {}
  void close_input() override { kill(); }
  std::vector<std::string> take_lines(bool* was_full) override;
  void wait(double) override {}  // a page does not wait: its next frame polls
  bool output_ended() const override { return exited(); }
  bool overlong_line() const override { return is_overlong_; }
  bool exited() const override { return is_ended_ || !last_error_line().empty(); }
  void signal_group(int) override { kill(); }
  void kill() override {
    if (!std::exchange(is_ended_, true)) ridge_worker_end(id_);
  }
  bool has_ended() const override { return true; }
  Ending end() override {
    kill();
    return {};
  }
  std::string last_error_line() const override;
  pid_t pid() const override { return -1; }

 private:
  int id_;
  bool is_ended_ = false, is_overlong_ = false;
};

std::vector<std::string> WebWorker::take_lines(bool* was_full) {
  if (was_full != nullptr) *was_full = false;
  std::vector<std::string> lines;
  while (char* line = ridge_worker_take(id_)) {
    lines.emplace_back(line);
    std::free(line);
    if (lines.back().size() > kMaxLineBytes) {
      is_overlong_ = true;
      lines.pop_back();
    }
  }
  return lines;
}

std::string WebWorker::last_error_line() const {
  char* said = ridge_worker_fault(id_);
  if (said == nullptr) return "";
  std::string fault = said;
  std::free(said);
  return fault;
}

}  // namespace

Result<std::unique_ptr<Process>> Process::start(const std::vector<std::string>&,
                                                std::function<void()> wake) {
  g_wake = std::move(wake);
  const int id = ridge_worker_start();
  if (id == 0)
    return Error{ErrorCode::unavailable, "the browser starts no Web Worker", "the worker",
                 "serve the page's folder over http, as with python3 -m http.server, and open it from there"};
  return std::unique_ptr<Process>(std::make_unique<WebWorker>(id));
}

/// From the page, when a line waits or the Web Worker has failed.
extern "C" EMSCRIPTEN_KEEPALIVE void ridge_worker_spoke() {
  if (g_wake) g_wake();
}

}  // namespace ridge::app
