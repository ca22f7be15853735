#include "common/harness/measure/tool.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>

#include "common/core/program.h"

namespace ridge::measure {
namespace {

constexpr size_t kMaxOutput = size_t{256} << 20;

Error failed(const std::string& program, const std::string& what) {
  return {ErrorCode::unavailable, what, program, ""};
}

using Cancelled = std::function<bool()>;
using Clock = std::chrono::steady_clock;

/// Reads until the other side closes it; false when the time or the room is up, or it is cancelled.
bool read_to_end(int fd, Clock::time_point end, const Cancelled& cancelled, std::string* text) {
  char piece[1 << 16];
  for (;;) {
    const double left_s = std::chrono::duration<double>(end - Clock::now()).count();
    if (!(left_s > 0) || text->size() > kMaxOutput || (cancelled && cancelled())) return false;
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

/// Where PATH has this program; empty: nowhere.
std::string find_on_path(const std::string& name) {
  if (name.find('/') != name.npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

Result<ToolRun> run_program(const std::vector<std::string>& command, double limit_s, bool errors,
                    const Cancelled& cancelled, bool dies_with_us) {
  int out[2] = {-1, -1}, null = open_raised("/dev/null", O_RDWR);
  pid_t pid = -1;
  const bool ready = null >= 0 && make_pipe(out);
  // A group of its own: a compiler starts others.
  const int refused =
      ready ? start_program({.command = command,
                             .files = {{null, 0}, {out[1], errors ? 2 : 1}, {null, errors ? 1 : 2}},
                             .dies_with_us = dies_with_us},
                            &pid)
            : errno;
  close_fd(&null);
  close_fd(&out[1]);
  ToolRun run;
  if (refused != 0) {
    close_fd(&out[0]);
    if (!ready) return failed(command[0], "no pipe to it could be made");
    return failed(command[0], refused == ENOENT ? "it is not installed" : std::strerror(refused));
  }
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(limit_s));
  bool whole = read_to_end(out[0], end, cancelled, &run.text);
  close_fd(&out[0]);
  std::optional<Ending> ending;
  if (whole) {  // its output may be closed before it ends
    ending = reap(pid, std::chrono::duration<double>(end - Clock::now()).count());
    whole = ending.has_value();
  }
  if (!whole) ending = kill_and_reap(pid, true);
  if (!whole && cancelled && cancelled()) return Error{ErrorCode::cancelled, "cancelled", "", ""};
  if (!whole) return failed(command[0], "it did not finish");
  if (!ending->known || ending->signalled) return failed(command[0], "it was killed");
  run.code = ending->value;
  return run;
}

}  // namespace

Result<ToolRun> run_tool(const std::vector<std::string>& command, double limit_s, bool errors,
                         const Cancelled& cancelled) {
  return run_program(command, limit_s, errors, cancelled, false);
}

std::string own_program() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  return size > 0 && size_t(size) < sizeof(path) ? std::string(path, size_t(size)) : "";
}

Result<std::string> output_of(std::vector<std::string> command, double limit_s,
                              const Cancelled& cancelled) {
  const std::string name = command[0];
  command[0] = find_on_path(name);
  if (command[0].empty()) return failed(name, "it is not installed");
  RIDGE_TRY(ToolRun ended, run_program(command, limit_s, false, cancelled, true));
  if (ended.code != 0) return failed(name, "it could not read this program");
  return std::move(ended.text);
}

}  // namespace ridge::measure
