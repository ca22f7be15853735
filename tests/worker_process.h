// A real worker over pipes, line by line: what the tests of docs/protocol.md talk to.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/core/program.h"
#include "common/record/json.h"
#include "tests/catch.h"

namespace ridge::test {

/// A worker whose pipes are in the test's hands. Ended with its process group.
class Worker {
 public:
  explicit Worker(const char* variable = "RIDGE_FIXTURE_WORKER",
                  const std::vector<std::pair<std::string, std::string>>& settings = {}) {
    const char* program = std::getenv(variable);
    REQUIRE(program != nullptr);  // set by ctest
    int in[2], out[2], null = open_raised("/dev/null", O_WRONLY);
    REQUIRE(make_pipe(in));
    REQUIRE(make_pipe(out));
    REQUIRE(start_program({.command = {program, "--stdio"},
                           .files = {{in[0], 0}, {out[1], 1}, {null, 2}},
                           .environment = environment_with(settings)},
                          &pid_) == 0);
    close_fd(&null);
    close(in[0]);
    close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }
  ~Worker() {
    close_input();
    close(out_);
    if (reaped_)
      kill(-pid_, SIGKILL);
    else
      kill_and_reap(pid_, true);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void send_text(const std::string& text) {
    size_t done = 0;
    while (done < text.size()) {
      const ssize_t wrote = write(in_, text.data() + done, text.size() - done);
      REQUIRE(wrote > 0);
      done += static_cast<size_t>(wrote);
    }
  }
  void send(Json line) {
    line["ridgepoint"] = 1;
    line["from"] = "app";
    send_text(dump_json(line) + "\n");
  }
  void close_input() {
    if (in_ >= 0) close(in_);
    in_ = -1;
  }

  /// The next line, `timing` answered; null when the worker has ended or nothing came for 20 s.
  Json next() {
    for (;;) {
      const size_t end = buffer_.find('\n');
      if (end != std::string::npos) {
        const std::string text = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        longest_ = std::max(longest_, text.size());
        auto line = parse_json(text, "worker");
        REQUIRE(line);
        CHECK(line->at("ridgepoint") == 1);
        CHECK(line->at("seq") == ++seq_);
        if (line->at("type") == "timing" && acknowledge) {
          send({{"type", "ack"}, {"seq", line->at("seq")}});
        }
        return *line;
      }
      pollfd ready = {.fd = out_, .events = POLLIN, .revents = 0};
      if (poll(&ready, 1, 20'000) <= 0) return nullptr;
      char piece[65536];
      const ssize_t got = read(out_, piece, sizeof(piece));
      if (got <= 0) return nullptr;
      buffer_.append(piece, static_cast<size_t>(got));
    }
  }
  /// Reads until a line of `type` for `request` (or any) comes; all lines read go to lines().
  Json until(const std::string& type, int64_t request = -1) {
    for (;;) {
      Json line = next();
      lines_.push_back(line);
      if (line.is_null()) return line;
      if (line["type"] == type && (request < 0 || line.value("request", -1) == request)) {
        return line;
      }
    }
  }
  std::vector<Json> of_type(const std::string& type) const {
    std::vector<Json> found;
    for (const Json& line : lines_) {
      if (line.is_object() && line["type"] == type) found.push_back(line);
    }
    return found;
  }
  /// Outcome of a series, null if there is none.
  Json outcome(int series) const {
    for (const Json& line : of_type("result")) {
      if (line.value("series", -1) == series && line.contains("outcome")) return line["outcome"];
    }
    return nullptr;
  }
  /// Exit code, or -signal; -1000 when it has not ended after 5 s.
  int exit_code() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    int status = 0;
    while (std::chrono::steady_clock::now() < end) {
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        reaped_ = true;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
      }
      usleep(2000);
    }
    return -1000;
  }
  pid_t pid() const { return pid_; }
  size_t longest_line() const { return longest_; }

  bool acknowledge = true;

 private:
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1;
  bool reaped_ = false;
  int64_t seq_ = 0;
  size_t longest_ = 0;
  std::string buffer_;
  std::vector<Json> lines_;
};

/// A request to run `kernels`, or with another type, to compare them.
inline Json run_of(const std::vector<std::string>& kernels, int64_t n = 64,
                   const char* mode = "live") {
  Json line = {
      {"type", "run"}, {"id", 1}, {"lab", "gemm"}, {"mode", mode}, {"kernels", Json::array()}};
  for (const std::string& kernel : kernels) {
    line["kernels"].push_back({{"kernel", kernel}, {"params", {{"n", n}}}});
  }
  return line;
}

}  // namespace ridge::test
