#include "common/harness/measure/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/core/format.h"
#include "common/core/program.h"
#include "common/harness/measure/child.h"
#include "common/harness/measure/command_start.h"
#include "common/harness/measure/harness.h"
#include "common/record/command.h"

namespace ridge::measure {
namespace {

constexpr int kLook_ms = 20;
constexpr size_t kErrorLine = 200;  // code points of a program's last words

bool may_execute(const std::string& path) {
  struct stat about = {};
  const bool is_file = ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
  return is_file && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<std::string> find_program(const std::string& name) {
  const Error missing{ErrorCode::unavailable, "there is no program '" + one_line(name, 80) + "'",
                      "", "check its spelling, or give its path"};
  if (name.find('/') != std::string::npos) {
    if (may_execute(name)) return name;
    struct stat about = {};
    if (::stat(name.c_str(), &about) != 0) return missing;
    return Error{ErrorCode::unavailable, "'" + one_line(name, 80) + "' cannot be executed", "",
                 "check that it is a program (chmod +x)"};
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (may_execute(candidate)) return candidate;
  }
  return missing;
}

// ---- what is written -----------------------------------------------------------------------------

int64_t CommandRunner::Sink::bytes() const {
  struct stat about = {};
  return ::fstat(fd, &about) == 0 ? int64_t{about.st_size} : 0;
}

void CommandRunner::Sink::empty() const {
  if (::ftruncate(fd, 0) == 0) ::lseek(fd, 0, SEEK_SET);
}

Result<std::string> CommandRunner::output() const {
  std::string text(static_cast<size_t>(out_.bytes()), '\0');
  size_t at = 0;
  while (at < text.size()) {
    const ssize_t got = ::pread(out_.fd, text.data() + at, text.size() - at, off_t(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Error{ErrorCode::worker, "an output could not be read back", "", ""};
    at += static_cast<size_t>(got);
  }
  return text;
}

int64_t CommandRunner::output_bytes() const {
  return out_.bytes();
}

std::string CommandRunner::last_error_line() const {
  constexpr int64_t kEnd_bytes = 4096;
  const int64_t all = err_.bytes();
  std::string text(static_cast<size_t>(std::min(all, kEnd_bytes)), '\0');
  const ssize_t got = ::pread(err_.fd, text.data(), text.size(), off_t(all - int64_t(text.size())));
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.pop_back();
  const size_t start = text.find_last_of("\n\r");
  return one_line(start == std::string::npos ? text : text.substr(start + 1), kErrorLine);
}

// ---- one call ------------------------------------------------------------------------------------

CommandRunner::CommandRunner(double call_limit_s, std::function<bool()> cancelled)
    : call_limit_s_(call_limit_s), cancelled_(std::move(cancelled)) {}

CommandRunner::~CommandRunner() {
  for (int* fd : {&socket_, &out_.fd, &check_out_.fd, &err_.fd}) close_fd(fd);
  if (starter_ <= 0) return;
  count_child(starter_, false);
  kill_and_reap(starter_, true);
}

Result<void> CommandRunner::open() {
  for (Sink* sink : {&out_, &check_out_, &err_})
    sink->fd = raise_fd(::memfd_create("ridgepoint-output", MFD_CLOEXEC));
  int ends[2] = {-1, -1}, nothing = open_raised("/dev/null", O_RDONLY);
  std::error_code unknown;
  const auto program =
      std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path() / kStarterName;
  const bool is_ready =
      out_.fd >= 0 && check_out_.fd >= 0 && err_.fd >= 0 && nothing >= 0 && make_sockets(ends);
  const int failed = !is_ready ? errno
                     : !may_execute(program.string())
                         ? ENOENT
                         : start_program({.command = {program.string()},
                                          .files = {{nothing, 0},
                                                    {ends[1], kStarterSocket},
                                                    {out_.fd, kStarterOutput},
                                                    {check_out_.fd, kStarterCheckOutput},
                                                    {err_.fd, kStarterErrors}},
                                          .dies_with_us = true},
                                         &starter_);
  close_fd(&nothing);
  close_fd(&ends[1]);
  socket_ = ends[0];
  if (failed != 0) {
    return Error{ErrorCode::unavailable,
                 std::string(kStarterName) + " could not be started: " + strerror(failed), "",
                 "build it beside the worker"};
  }
  count_child(starter_, true);
  return {};
}

CommandRunner::Stopped CommandRunner::why_stop(const Sink& out, double deadline_s) const {
  if (now_s() >= deadline_s) return Stopped::limit;
  const bool is_too_much =
      out.bytes() > kMostCommandOutput_bytes || err_.bytes() > kMostCommandOutput_bytes;
  if (is_too_much) return Stopped::output;
  return cancelled_() ? Stopped::cancelled : Stopped::no;
}

bool CommandRunner::read_whole(void* to, size_t bytes) const {
  return ::recv(socket_, to, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
}

bool CommandRunner::send_whole(const std::string& bytes) const {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t sent = ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += static_cast<size_t>(sent);
  }
  return true;
}

CommandRunner::Stopped CommandRunner::watch(pid_t pid, const Sink& out) const {
  const double deadline_s = now_s() + call_limit_s_;
  Stopped why = Stopped::no;
  for (;;) {
    pollfd ended = {.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&ended, 1, kLook_ms) > 0) break;
    if (why == Stopped::no) why = why_stop(out, deadline_s);
    if (why == Stopped::no) continue;
    ::kill(-pid, SIGKILL);
    ::kill(pid, SIGKILL);  // it may have left its group
  }
  return why;
}

Error CommandRunner::ending_error(const std::string& name, Stopped why, int status) const {
  if (why == Stopped::cancelled) return cancelled_error();
  const auto invalid = [&](std::string what, std::string hint) {
    return Error{ErrorCode::invalid, std::move(what), name, std::move(hint)};
  };
  if (why == Stopped::limit) {
    return invalid("a call did not end within " + format_tick(call_limit_s_) +
                       " s and was ended, with all that it had started",
                   "allow it more with --call-limit");
  }
  if (why == Stopped::output) {
    return invalid("a call wrote more than " + format_bytes(double(kMostCommandOutput_bytes)) +
                       " and was ended",
                   "let it write to a file, or less");
  }
  const Ending ending{true, WIFSIGNALED(status) != 0,
                      WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)};
  std::string said = last_error_line();
  const bool is_unstarted = !ending.signalled && ending.value == 127 && said.empty();
  if (is_unstarted) said = "it could not be executed (a script begins with a line like #!/bin/sh)";
  return invalid("a call " + ending.text() + (said.empty() ? "" : ": " + said), "");
}

Result<CommandCall> CommandRunner::run(const std::string& name,
                                       const std::vector<std::string>& words, bool is_check) {
  RIDGE_TRY(const std::string program, find_program(words.front()));
  const Sink& out = is_check ? check_out_ : out_;
  out.empty();
  err_.empty();
  std::string bytes = program + '\0';
  for (size_t i = 1; i < words.size(); ++i) bytes += words[i] + '\0';
  CommandStart start{.word_bytes = static_cast<uint32_t>(bytes.size()),
                     .reads_output = is_check,
                     .is_check = is_check};
  bytes.insert(0, reinterpret_cast<const char*>(&start), sizeof start);
  const Error lost{ErrorCode::worker, std::string(kStarterName) + " has ended", name, ""};

  CommandBegun begun;
  if (!send_whole(bytes) || !read_whole(&begun, sizeof begun)) return lost;
  if (begun.failed != 0) {
    return Error{ErrorCode::unavailable,
                 std::string("it could not be started: ") + strerror(begun.failed), name, ""};
  }
  Stopped why = watch(begun.pid, out);
  CommandEnded ended;
  CommandReaped reaped;
  const bool is_told =
      read_whole(&ended, sizeof ended) && send_whole(".") && read_whole(&reaped, sizeof reaped);
  if (!is_told) return lost;
  if (why == Stopped::no && ended.t_ns * 1e-9 >= call_limit_s_) why = Stopped::limit;
  const bool is_too_much =
      out.bytes() > kMostCommandOutput_bytes || err_.bytes() > kMostCommandOutput_bytes;
  if (why == Stopped::no && is_too_much) why = Stopped::output;  // within one look
  if (why != Stopped::no || reaped.status != 0) return ending_error(name, why, reaped.status);
  return CommandCall{.t_ns = ended.t_ns,
                     .cpu_ns = reaped.cpu_ns,
                     .peak_bytes = reaped.peak_bytes,
                     .left_running = reaped.left_running};
}

Result<CommandCall> CommandRunner::call(const std::string& name,
                                        const std::vector<std::string>& words) {
  return run(name, words, false);
}

Result<void> CommandRunner::check(const std::vector<std::string>& words) {
  const auto ran = run("the check", words, true);
  if (!ran) return ran.error();
  return {};
}

}  // namespace ridge::measure
