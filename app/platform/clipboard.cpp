#include "app/platform/clipboard.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "common/core/program.h"

namespace ridge::window {
namespace {

/// Runs it with the file as its input and waits: both tools go on in the background by themselves. One that hangs is
/// ended.
bool run_tool(const std::vector<std::string>& words, const std::string& path) {
  constexpr double kWait_s = 2;
  // What stays behind must not keep the terminal's pipes open.
  int picture = open_raised(path.c_str(), O_RDONLY), null = open_raised("/dev/null", O_WRONLY);
  pid_t child = -1;
  const int failed = picture < 0 || null < 0
                         ? errno
                         : start_program({.command = words,
                                          .files = {{picture, 0}, {null, 1}, {null, 2}},
                                          .has_group = false},
                                         &child);
  close_fd(&picture);
  close_fd(&null);
  if (failed != 0) return false;
  const auto ending = reap(child, kWait_s);
  if (!ending) kill_and_reap(child, false);
  return ending && ending->known && !ending->signalled && ending->value == 0;
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
