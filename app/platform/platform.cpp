#include "app/platform/platform.h"

#include <dlfcn.h>
#include <fcntl.h>

// ImGui's backend loads what it needs by itself; OpenGL 1.1 is all that is called from here.
#include <GLFW/glfw3.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include <stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "app/platform/key_queue.h"
#include "common/core/late_library.h"
#include "common/core/program.h"

namespace ridge::window {
namespace {

bool g_event = false;  // set by GLFW's callbacks, on the one thread that runs them
std::string g_glfw_error;
std::vector<std::string> g_dropped;

#if IMGUI_VERSION_NUM < 18700
/// ImGui before 1.87 reads at each frame which keys are down: it misses one that went down and up between two frames,
/// as while a long call is timed, and gives all characters at once. 1.87 has a queue of its own.
KeyQueue g_keys;

void note_press(int key, int action, int modifiers) {
  if (action == GLFW_PRESS && key >= 0) g_keys.press(key, modifiers);
}

/// In place of the backend's, which gives a character to the next frame, whatever was pressed before it.
void watch_characters(GLFWwindow* window) {
  glfwSetCharCallback(window, [](GLFWwindow*, unsigned character) {
    g_keys.type(character);
    g_event = true;
  });
}

/// Before NewFrame: what the frame is told, and beside it the keyboard as it is now, without presses that still wait.
void take_keys(GLFWwindow* window, ImGuiIO& io) {
  const KeyFrame frame = g_keys.take(io.WantTextInput, [&](int key) {
    return io.KeysDownDuration[static_cast<size_t>(key)] >= 0;
  });
  const auto down = [&](int key) { return glfwGetKey(window, key) == GLFW_PRESS; };
  for (int key = GLFW_KEY_SPACE; key <= GLFW_KEY_LAST; ++key)
    io.KeysDown[key] = key != frame.released && down(key) && !g_keys.waits(key);
  for (const char32_t key : frame.pressed) io.KeysDown[key] = true;
  for (const char32_t character : frame.characters) io.AddInputCharacter(character);
  const auto has = [&](int modifier, int left, int right) {
    return frame.is_empty ? down(left) || down(right) : (frame.modifiers & modifier) != 0;
  };
  io.KeyCtrl = has(GLFW_MOD_CONTROL, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
  io.KeyShift = has(GLFW_MOD_SHIFT, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
  io.KeyAlt = has(GLFW_MOD_ALT, GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT);
}

bool keys_wait() {
  return !g_keys.empty();
}
#else
void note_press(int, int, int) {}
void watch_characters(GLFWwindow*) {}
void take_keys(GLFWwindow*, ImGuiIO&) {}
bool keys_wait() {
  return false;
}
#endif

void on_error(int, const char* text) {
  g_glfw_error = text;
}

// Installed before ImGui's backend, which calls on to what it finds.
void watch_events(GLFWwindow* window) {
  glfwSetKeyCallback(window, [](GLFWwindow*, int key, int, int action, int modifiers) {
    note_press(key, action, modifiers);
    g_event = true;
  });
  glfwSetCharCallback(window, [](GLFWwindow*, unsigned) { g_event = true; });
  glfwSetMouseButtonCallback(window, [](GLFWwindow*, int, int, int) { g_event = true; });
  glfwSetCursorPosCallback(window, [](GLFWwindow*, double, double) { g_event = true; });
  glfwSetCursorEnterCallback(window, [](GLFWwindow*, int) { g_event = true; });
  glfwSetScrollCallback(window, [](GLFWwindow*, double, double) { g_event = true; });
  glfwSetWindowFocusCallback(window, [](GLFWwindow*, int) { g_event = true; });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow*) { g_event = true; });
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow*, int, int) { g_event = true; });
  glfwSetDropCallback(window, [](GLFWwindow*, int count, const char** paths) {
    g_dropped.insert(g_dropped.end(), paths, paths + count);
    g_event = true;
  });
  glfwSetWindowCloseCallback(window, [](GLFWwindow*) { g_event = true; });
}

/// A place that was remembered may be on a screen that is gone.
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

/// No larger than the first screen's room: on a laptop's the first start would lie half outside.
std::pair<int, int> on_screen(int width, int height) {
  int x = 0, y = 0, most_width = 0, most_height = 0;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor())
    glfwGetMonitorWorkarea(monitor, &x, &y, &most_width, &most_height);
  const auto at_most = [](int wanted, int most) {
    return most > 0 ? std::min(wanted, most) : wanted;
  };
  return {at_most(width, most_width), at_most(height, most_height)};
}

void refresh_font_texture() {
#if IMGUI_VERSION_NUM < 19200
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

/// Of clear_area(): the clip rectangle is the area, the user's data the colour.
void clear_clipped(const ImDrawList*, const ImDrawCmd* command) {
  const ImDrawData& data = *ImGui::GetDrawData();
  const ImVec2 scale = data.FramebufferScale;
  const ImVec4& clip = command->ClipRect;
  const auto pixel = [](float at, float scaled) {
    return static_cast<GLint>(std::lround(at * scaled));
  };
  const GLint left = pixel(clip.x, scale.x), right = pixel(clip.z, scale.x);
  const GLint top = pixel(clip.y, scale.y), bottom = pixel(clip.w, scale.y);
  if (right <= left || bottom <= top) return;
  glScissor(left, pixel(data.DisplaySize.y, scale.y) - bottom, right - left, bottom - top);
  const ImVec4 color = ImGui::ColorConvertU32ToFloat4(
      static_cast<ImU32>(reinterpret_cast<uintptr_t>(command->UserCallbackData)));
  glClearColor(color.x, color.y, color.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

Error no_display(const std::string& what) {
  return {ErrorCode::unavailable, what.empty() ? "no display could be opened" : what, "the window",
          "set DISPLAY or WAYLAND_DISPLAY, start it under 'xvfb-run -a', or use 'ridgepoint run' "
          "in the terminal"};
}

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

Result<std::unique_ptr<Platform>> Platform::open(const Options& options) {
  for (const char* library : {"glfw", "opengl"}) {
    if (const std::string& missing = missing_library(library); !missing.empty())
      return Error{ErrorCode::unavailable, missing, "the window",
                   "or use 'ridgepoint run' in the terminal"};
  }
  glfwSetErrorCallback(on_error);
  if (!glfwInit()) return no_display(g_glfw_error);
  mind_lost_display();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, options.visible ? GLFW_TRUE : GLFW_FALSE);
  // The picture has its own smoothed edges; multisampling would only cost software GL its time.
  glfwWindowHint(GLFW_SAMPLES, 0);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  const auto [width, height] = options.fits_screen ? on_screen(options.width, options.height)
                                                   : std::pair(options.width, options.height);
  GLFWwindow* window = glfwCreateWindow(width, height, "Ridgepoint", nullptr, nullptr);
  if (!window) {
    glfwTerminate();
    return Error{ErrorCode::unavailable, "OpenGL 3.2 could not be had (" + g_glfw_error + ")",
                 "the window",
                 "install a driver that has it (Debian: libgl1-mesa-dri draws in software), or use "
                 "'ridgepoint run' in the terminal"};
  }
  std::unique_ptr<Platform> platform(new Platform);
  platform->window_ = window;
  if (options.is_placed && is_on_a_screen(options.x, options.y))
    glfwSetWindowPos(window, options.x, options.y);
  glfwMakeContextCurrent(window);
  glfwSwapInterval(1);
  watch_events(window);
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  ImGui_ImplGlfw_InitForOpenGL(window, true);
  watch_characters(window);
  ImGui_ImplOpenGL3_Init("#version 150");
  return platform;
}

Platform::~Platform() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

void Platform::draw(Shell& shell, const Appearance& appearance) {
  int width = 0, height = 0;
  glfwGetWindowSize(window_, &width, &height);
  if (shell.prepare(static_cast<float>(width), static_cast<float>(height))) refresh_font_texture();
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  take_keys(window_, ImGui::GetIO());
  ImGui::NewFrame();
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  shell.draw(size.x, size.y);
  ImGui::Render();
  glfwGetFramebufferSize(window_, &width, &height);
  glViewport(0, 0, width, height);
  float rgb[3];
  canvas_rgb(appearance, rgb);
  glClearColor(rgb[0], rgb[1], rgb[2], 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void clear_area(ImDrawList* list, const Area& area, ImU32 color) {
  list->PushClipRect({area.x, area.y}, {area.right(), area.bottom()}, true);
  list->AddCallback(clear_clipped, reinterpret_cast<void*>(static_cast<uintptr_t>(color)));
  list->PopClipRect();
}

void Platform::swap() {
  glfwSwapBuffers(window_);
}

std::vector<unsigned char> Platform::read_pixels(int* width, int* height) const {
  glfwGetFramebufferSize(window_, width, height);
  const auto row = static_cast<size_t>(*width) * 3;
  const auto rows = static_cast<size_t>(*height);
  std::vector<unsigned char> upside_down(row * rows), pixels(row * rows);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadBuffer(GL_BACK);
  glReadPixels(0, 0, *width, *height, GL_RGB, GL_UNSIGNED_BYTE, upside_down.data());
  for (size_t y = 0; y < rows; ++y) {
    std::memcpy(&pixels[y * row], &upside_down[(rows - 1 - y) * row], row);
  }
  return pixels;
}

bool Platform::wait(double timeout_s) {
  g_event = false;
  if (timeout_s > 0)
    glfwWaitEventsTimeout(timeout_s);
  else
    glfwPollEvents();
  return g_event || keys_wait();
}

void Platform::wake() {
  glfwPostEmptyEvent();
}

bool Platform::should_close() const {
  return glfwWindowShouldClose(window_);
}

void Platform::set_full_screen(bool on) {
  if (on == full_screen_) return;
  full_screen_ = on;
  if (on) {
    glfwGetWindowPos(window_, &saved_[0], &saved_[1]);
    glfwGetWindowSize(window_, &saved_[2], &saved_[3]);
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
    if (mode)
      glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
  } else {
    glfwSetWindowMonitor(window_, nullptr, saved_[0], saved_[1], saved_[2], saved_[3], 0);
  }
}

std::array<int, 4> Platform::place() const {
  std::array<int, 4> place{};
  glfwGetWindowPos(window_, &place[0], &place[1]);
  glfwGetWindowSize(window_, &place[2], &place[3]);
  return place;
}

std::vector<std::string> Platform::take_dropped() {
  return std::exchange(g_dropped, {});
}

float Platform::content_scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return x;
}

double Platform::now_s() const {
  return glfwGetTime();
}

Result<void> write_png(const std::string& path, const unsigned char* rgb, int width, int height,
                       int row_pixels) {
  if (width > 0 && height > 0 &&
      stbi_write_png(path.c_str(), width, height, 3, rgb, row_pixels * 3))
    return {};
  return Error{ErrorCode::cannot_write, "the picture could not be written", path,
               "choose a folder that exists and is writable"};
}

Result<void> Platform::save_png(const std::string& path, Area part) const {
  int width = 0, height = 0;
  const auto pixels = read_pixels(&width, &height);
  const auto within = [](float at, int most) {
    return std::clamp(static_cast<int>(std::lround(at)), 0, most);
  };
  const int left = within(part.x, width), right = within(part.right(), width);
  const int top = within(part.y, height), bottom = within(part.bottom(), height);
  const size_t first =
      (static_cast<size_t>(top) * static_cast<size_t>(width) + static_cast<size_t>(left)) * 3;
  return write_png(path, pixels.data() + first, right - left, bottom - top, width);
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
