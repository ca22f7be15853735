#include "app/platform/clipboard.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

extern char** environ;

namespace ridge::window {
namespace {

/// Its exit status. A tool that hangs is ended.
bool succeeds(pid_t child) {
  constexpr int kWait_ms = 2000;
  int status = 0;
  for (int waited_ms = 0; waited_ms < kWait_ms; waited_ms += 5) {
    const pid_t got = waitpid(child, &status, WNOHANG);
    if (got == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (got < 0 && errno != EINTR) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}

/// Runs it with the file as its input and waits: both tools go on in the background by themselves.
bool run_tool(std::vector<std::string> words, const std::string& path) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, path.c_str(), O_RDONLY, 0);
  // What stays behind must not keep the terminal's pipes open.
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  return !failed && succeeds(child);
}

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value && *value;
}

Result<void> copy_now(const std::string& path) {
  if (is_set("WAYLAND_DISPLAY") && run_tool({"wl-copy", "--type", "image/png"}, path)) return {};
  if (is_set("DISPLAY") &&
      run_tool({"xclip", "-selection", "clipboard", "-t", "image/png", "-in"}, path))
    return {};
  return Error{ErrorCode::unavailable, "no tool here takes a picture onto the clipboard", "",
               "install wl-clipboard (Wayland) or xclip (X11)"};
}

}  // namespace

std::future<Result<void>> copy_picture(const std::string& path, std::function<void()> done) {
  std::promise<Result<void>> promise;
  std::future<Result<void>> copied = promise.get_future();
  // Detached: what a tool does with the picture must not keep the window from closing.
  std::thread([path, done = std::move(done), promise = std::move(promise)]() mutable {
    promise.set_value(copy_now(path));
    done();
  }).detach();
  return copied;
}

}  // namespace ridge::window
