#include "app/platform/host.h"

#include <GLFW/glfw3.h>
#include <dlfcn.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "common/core/late_library.h"
#include "common/core/program.h"

namespace ridge::window {

// ---- the window ---------------------------------------------------------------------------------

Result<void> find_window_libraries() {
  for (const char* library : {"glfw", "opengl"}) {
    if (const std::string& missing = missing_library(library); !missing.empty())
      return Error{ErrorCode::unavailable, missing, "the window",
                   "or use 'ridgepoint run' in the terminal"};
  }
  return {};
}

Error no_display(const std::string& what) {
  return {ErrorCode::unavailable, what.empty() ? "no display could be opened" : what, "the window",
          "set DISPLAY or WAYLAND_DISPLAY, start it under 'xvfb-run -a', or use 'ridgepoint run' "
          "in the terminal"};
}

Error no_opengl(const std::string& what) {
  return {ErrorCode::unavailable, "OpenGL 3.2 could not be had (" + what + ")", "the window",
          "install a driver that has it (Debian: libgl1-mesa-dri draws in software), or use "
          "'ridgepoint run' in the terminal"};
}

namespace {

/// X's library ends the program when its server is gone, and can be told nothing else. What was measured is written
/// beside the window within 0.2 s; the worker ends with its input.
int on_lost_display(void*) {
  std::fputs("ridgepoint: the display is gone; what was measured until then is kept\n", stderr);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  std::_Exit(static_cast<int>(ErrorCode::unavailable));
}

/// GLFW brings X's library where it draws on X: nothing of X is needed to build. Its names are with that library alone,
/// because GLFW itself is opened at run time.
void mind_lost_display() {
  using Handler = int (*)(void*);
  void* const x = ::dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void* const set = x != nullptr ? ::dlsym(x, "XSetIOErrorHandler") : nullptr;
  if (set != nullptr) reinterpret_cast<Handler (*)(Handler)>(set)(on_lost_display);
}

}  // namespace

void mind_host() {
  mind_lost_display();
}

void ask_for_opengl() {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
}

const char* shader_version() {
  return "#version 150";
}

bool is_on_a_screen(int x, int y) {
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    int left = 0, top = 0, width = 0, height = 0;
    glfwGetMonitorWorkarea(monitors[i], &left, &top, &width, &height);
    if (x >= left - 64 && x < left + width - 64 && y >= top && y < top + height - 64) return true;
  }
  return false;
}

// On a laptop's screen the first start would lie half outside.
std::pair<int, int> on_screen(int width, int height) {
  int x = 0, y = 0, most_width = 0, most_height = 0;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor())
    glfwGetMonitorWorkarea(monitor, &x, &y, &most_width, &most_height);
  const auto at_most = [](int wanted, int most) {
    return most > 0 ? std::min(wanted, most) : wanted;
  };
  return {at_most(width, most_width), at_most(height, most_height)};
}

float scale_of(GLFWwindow* window) {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window, &x, &y);
  return x;
}

void watch_host(GLFWwindow*, void (*)()) {}

void read_back_buffer() {
  glReadBuffer(GL_BACK);
}

void set_full_screen(GLFWwindow* window, bool on, int (&saved)[4]) {
  if (!on) {
    glfwSetWindowMonitor(window, nullptr, saved[0], saved[1], saved[2], saved[3], 0);
    return;
  }
  glfwGetWindowPos(window, &saved[0], &saved[1]);
  glfwGetWindowSize(window, &saved[2], &saved[3]);
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
  if (mode)
    glfwSetWindowMonitor(window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

void wait_events(double timeout_s) {
  if (timeout_s > 0)
    glfwWaitEventsTimeout(timeout_s);
  else
    glfwPollEvents();
}

void wake_host() {
  glfwPostEmptyEvent();
}

void give_back_host_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void fetch_recorded_files(std::function<void()> ready) {
  ready();
}

void take_turns(std::unique_ptr<Turns> turns, bool (*has_event)(double timeout_s)) {
  while (turns->turn(has_event(turns->wait_s()))) {
  }
}

// ---- the clipboard --------------------------------------------------------------------------------

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
