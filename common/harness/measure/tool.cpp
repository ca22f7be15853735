#include "common/harness/measure/tool.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace ridge::measure {
namespace {

constexpr size_t kMostOutput = size_t{256} << 20;

Error failed(const std::string& program, const std::string& what) {
  return {ErrorCode::unavailable, what, program, ""};
}

using Cancelled = std::function<bool()>;

/// Reads until the other side closes it; false when the time or the room is up, or it is cancelled.
bool read_to_end(int fd, double limit_s, const Cancelled& cancelled, std::string* text) {
  const auto begin = std::chrono::steady_clock::now();
  char piece[1 << 16];
  for (;;) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    const double left_s = limit_s - passed.count();
    if (!(left_s > 0) || text->size() > kMostOutput || (cancelled && cancelled())) return false;
    pollfd waiting = {fd, POLLIN, 0};
    constexpr double kAskEvery_s = 0.05;
    const double wait_s = cancelled ? std::min(left_s, kAskEvery_s) : left_s;
    if (poll(&waiting, 1, static_cast<int>(wait_s * 1000) + 1) <= 0) continue;
    const ssize_t got = read(fd, piece, sizeof(piece));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    text->append(piece, static_cast<size_t>(got));
  }
}

}  // namespace

Result<ToolRun> run_tool(const std::vector<std::string>& command, double limit_s, bool errors,
                         const Cancelled& cancelled) {
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) return failed(command[0], "no pipe to it could be made");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], errors ? 2 : 1);
  posix_spawn_file_actions_addopen(&actions, errors ? 1 : 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;  // a group of its own: a compiler starts others
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int refused =
      posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(out[1]);
  ToolRun run;
  if (refused != 0) {
    close(out[0]);
    return failed(command[0], refused == ENOENT ? "it is not installed" : std::strerror(refused));
  }
  const bool whole = read_to_end(out[0], limit_s, cancelled, &run.text);
  close(out[0]);
  if (!whole) kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole && cancelled && cancelled()) return Error{ErrorCode::cancelled, "cancelled", "", ""};
  if (!whole) return failed(command[0], "it did not finish");
  if (!WIFEXITED(status)) return failed(command[0], "it was killed");
  run.code = WEXITSTATUS(status);
  return run;
}

std::string own_program() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  return size > 0 && size_t(size) < sizeof(path) ? std::string(path, size_t(size)) : "";
}

Result<std::string> output_of(const std::vector<std::string>& command, double limit_s) {
  RIDGE_TRY(ToolRun run, run_tool(command, limit_s, false));
  if (run.code != 0) return failed(command[0], "it could not read this program");
  return std::move(run.text);
}

}  // namespace ridge::measure
