#include "common/harness/measure/starter.h"

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
#include <filesystem>

#include "common/core/format.h"
#include "common/core/program.h"
#include "common/harness/measure/child.h"
#include "common/harness/measure/harness.h"
#include "common/record/command.h"

namespace ridge::measure {
namespace {

constexpr int kLook_ms = 20;
constexpr size_t kErrorLine = 200;  // code points of a program's last words

}  // namespace

// ---- what is written -----------------------------------------------------------------------------

int64_t Sink::bytes() const {
  struct stat about = {};
  return ::fstat(fd, &about) == 0 ? int64_t{about.st_size} : 0;
}

void Sink::empty() const {
  if (::ftruncate(fd, 0) == 0) ::lseek(fd, 0, SEEK_SET);
}

Result<std::string> Sink::read() const {
  std::string text(static_cast<size_t>(bytes()), '\0');
  size_t at = 0;
  while (at < text.size()) {
    const ssize_t got = ::pread(fd, text.data() + at, text.size() - at, off_t(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Error{ErrorCode::worker, "an output could not be read back", "", ""};
    at += static_cast<size_t>(got);
  }
  return text;
}

Result<void> Sink::write(const std::string& text) const {
  empty();
  size_t at = 0;
  while (at < text.size()) {
    const ssize_t put = ::pwrite(fd, text.data() + at, text.size() - at, off_t(at));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return Error{ErrorCode::worker, "there is no memory for an output", "", ""};
    at += static_cast<size_t>(put);
  }
  return {};
}

std::string Starter::last_error_line() const {
  constexpr int64_t kEnd_bytes = 4096;
  const int64_t all = errors_.bytes();
  std::string text(static_cast<size_t>(std::min(all, kEnd_bytes)), '\0');
  const ssize_t got =
      ::pread(errors_.fd, text.data(), text.size(), off_t(all - int64_t(text.size())));
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.pop_back();
  const size_t start = text.find_last_of("\n\r");
  return one_line(start == std::string::npos ? text : text.substr(start + 1), kErrorLine);
}

// ---- the starter ---------------------------------------------------------------------------------

Starter::Starter(double limit_s, std::function<bool()> cancelled)
    : limit_s_(limit_s), cancelled_(std::move(cancelled)) {}

Starter::~Starter() {
  for (int* fd : {&socket_, &talk_, &out_.fd, &check_out_.fd, &errors_.fd}) close_fd(fd);
  if (pid_ <= 0) return;
  count_child(pid_, false);
  kill_and_reap(pid_, true);
}

Result<void> Starter::open() {
  for (Sink* sink : {&out_, &check_out_, &errors_})
    sink->fd = raise_fd(::memfd_create("ridgepoint-output", MFD_CLOEXEC));
  int ends[2] = {-1, -1}, talk[2] = {-1, -1}, nothing = open_raised("/dev/null", O_RDONLY);
  std::error_code unknown;
  path_ = (std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path() / kStarterName)
              .string();
  const bool is_ready = out_.fd >= 0 && check_out_.fd >= 0 && errors_.fd >= 0 && nothing >= 0 &&
                        make_sockets(ends) && make_sockets(talk);
  const int failed = !is_ready ? errno
                     : ::access(path_.c_str(), X_OK) != 0
                         ? ENOENT
                         : start_program({.command = {path_},
                                          .files = {{nothing, 0},
                                                    {ends[1], kStarterSocket},
                                                    {out_.fd, kStarterOutput},
                                                    {check_out_.fd, kStarterCheckOutput},
                                                    {errors_.fd, kStarterErrors},
                                                    {talk[1], kStarterTalk}},
                                          .dies_with_us = true},
                                         &pid_);
  for (int* fd : {&nothing, &ends[1], &talk[1]}) close_fd(fd);
  socket_ = ends[0];
  talk_ = talk[0];
  if (failed != 0) {
    return Error{ErrorCode::unavailable,
                 std::string(kStarterName) + " could not be started: " + strerror(failed), "",
                 "build it beside the worker"};
  }
  count_child(pid_, true);
  return {};
}

Error Starter::lost(const std::string& name) const {
  return {ErrorCode::worker, std::string(kStarterName) + " has ended", name, ""};
}

bool Starter::read_whole(void* to, size_t bytes) const {
  return ::recv(socket_, to, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
}

bool send_whole(int socket, const std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t sent = ::send(socket, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += static_cast<size_t>(sent);
  }
  return true;
}

Result<Started> Starter::begin(const std::string& name, const std::string& program,
                               const std::vector<std::string>& arguments, CommandStart how) {
  std::string bytes = program + '\0';
  for (const std::string& argument : arguments) bytes += argument + '\0';
  how.word_bytes = static_cast<uint32_t>(bytes.size());
  bytes.insert(0, reinterpret_cast<const char*>(&how), sizeof how);
  CommandBegun begun;
  if (!send_whole(socket_, bytes) || !read_whole(&begun, sizeof begun)) return lost(name);
  if (begun.failed != 0) {
    return Error{ErrorCode::unavailable,
                 std::string("it could not be started: ") + strerror(begun.failed), name, ""};
  }
  return Started{.name = name, .pid = begun.pid};
}

Starter::Stopped Starter::why_stop(const Sink& out, int64_t most_bytes, double deadline_s) const {
  if (now_s() >= deadline_s) return Stopped::limit;
  if (out.bytes() > most_bytes || errors_.bytes() > kMostCommandOutput_bytes)
    return Stopped::output;
  return cancelled_() ? Stopped::cancelled : Stopped::no;
}

Starter::Stopped Starter::wait(const Started& program, const Sink& out, int64_t most_bytes,
                               int talk) const {
  const double deadline_s = now_s() + limit_s_;
  Stopped why = Stopped::no;
  for (;;) {
    pollfd looked[2] = {{.fd = socket_, .events = POLLIN, .revents = 0},
                        {.fd = why == Stopped::no ? talk : -1, .events = POLLIN, .revents = 0}};
    if (::poll(looked, 2, kLook_ms) > 0) break;
    if (why == Stopped::no) why = why_stop(out, most_bytes, deadline_s);
    if (why == Stopped::no) continue;
    ::kill(-program.pid, SIGKILL);
    ::kill(program.pid, SIGKILL);  // it may have left its group
  }
  return why;
}

Result<Starter::End> Starter::reap(const Started& program) {
  CommandEnded ended;
  CommandReaped reaped;
  const bool is_told = read_whole(&ended, sizeof ended) && send_whole(socket_, ".") &&
                       read_whole(&reaped, sizeof reaped);
  if (!is_told) return lost(program.name);
  return End{ended.t_ns, reaped};
}

Error Starter::ending_error(const Started& program, const std::string& what, Stopped why,
                            int status) const {
  if (why == Stopped::cancelled) return cancelled_error();
  const auto invalid = [&](std::string said, std::string hint) {
    return Error{ErrorCode::invalid, what + " " + std::move(said), program.name, std::move(hint)};
  };
  if (why == Stopped::limit) {
    return invalid("did not end within " + format_tick(limit_s_) +
                       " s and was ended, with all that it had started",
                   "allow it more with --call-limit");
  }
  if (why == Stopped::output) {
    return invalid(
        "wrote more than " + format_bytes(double(kMostCommandOutput_bytes)) + " and was ended",
        "let it write to a file, or less");
  }
  const Ending ending{true, WIFSIGNALED(status) != 0,
                      WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)};
  std::string said = last_error_line();
  const bool is_unstarted = !ending.signalled && ending.value == 127 && said.empty();
  if (is_unstarted) said = "it could not be executed (a script begins with a line like #!/bin/sh)";
  return invalid(ending.text() + (said.empty() ? "" : ": " + said), "");
}

}  // namespace ridge::measure
