#include "app/platform/host.h"

#include <GLFW/glfw3.h>
#include <GLES3/gl3.h>
#include <emscripten.h>
#include <imgui.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

// web/page.js has what the page does: `ridgepoint`, made before the program starts.

// clang-format off
EM_JS(void, ridge_watch_page, (), { ridgepoint.watch(Module['canvas']); });
/// The canvas gets as many pixels as its place on the screen has, and GLFW's window with it. True: its size is another.
EM_JS(int, ridge_fit_canvas, (), {
  const canvas = Module['canvas'];
  const width = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio));
  const height = Math.max(1, Math.round(canvas.clientHeight * devicePixelRatio));
  if (canvas.width == width && canvas.height == height && GLFW.active && GLFW.active.width == width && GLFW.active.height == height) return 0;
  canvas.width = width;
  canvas.height = height;
  if (GLFW.active) { GLFW.active.width = width; GLFW.active.height = height; }
  return 1;
});
EM_JS(double, ridge_pixel_ratio, (), { return devicePixelRatio; });
EM_JS(int, ridge_canvas_pixels, (int is_height), {
  const canvas = Module['canvas'];
  return Math.max(1, Math.round((is_height ? canvas.clientHeight : canvas.clientWidth) * devicePixelRatio));
});
EM_JS(void, ridge_full_screen, (int on), { ridgepoint.fullScreen(on); });
EM_JS(void, ridge_copy_text, (const char* text), { ridgepoint.copyText(UTF8ToString(text)); });
EM_JS(char*, ridge_pasted_text, (), {
  const text = ridgepoint.pasted;
  const bytes = lengthBytesUTF8(text) + 1;
  const copy = _malloc(bytes);
  stringToUTF8(text, copy, bytes);
  return copy;
});
EM_JS(void, ridge_copy_picture, (const char* path), {
  ridgepoint.copyPicture(FS.readFile(UTF8ToString(path))).then(
    () => Module['_ridge_picture_copied'](1), () => Module['_ridge_picture_copied'](0));
});
EM_JS(void, ridge_fetch_recorded, (), {
  ridgepoint.recorded.fetch(is_there => Module['_ridge_recorded_fetched'](is_there ? 1 : 0));
});
EM_JS(void, ridge_begin_turns, (), {
  ridgepoint.begun();
  ridgepoint.turns.begin(() => Module['_ridge_turn']());
});
EM_JS(void, ridge_wake, (), { ridgepoint.turns.wake(); });
// clang-format on

namespace ridge::window {
namespace {

void (*g_on_event)() = nullptr;
GLFWdropfun g_on_drop = nullptr;
bool g_is_woken = false;

struct Loop {
  std::unique_ptr<Turns> turns;
  bool (*has_event)(double timeout_s) = nullptr;
  double due_s = 0;  ///< of the next turn, if nothing comes
};
Loop g_loop;

struct Copying {
  std::promise<Result<void>> promise;
  std::function<void()> done;
};
std::unique_ptr<Copying> g_copying;

std::function<void()> g_recorded;

const char* pasted_text(void*) {
  static std::string text;
  char* pasted = ridge_pasted_text();
  text = pasted;
  std::free(pasted);
  return text.c_str();
}

}  // namespace

Result<void> find_window_libraries() {
  return {};
}

void mind_host() {}

Error no_display(const std::string& what) {
  return no_opengl(what);
}

Error no_opengl(const std::string& what) {
  return {ErrorCode::unavailable,
          "this browser gives the page no WebGL 2" + (what.empty() ? "" : " (" + what + ")"),
          "the window", "switch on hardware acceleration, or open the page in another browser"};
}

void ask_for_opengl() {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 0);
  glfwWindowHint(GLFW_ALPHA_BITS, 0);
}

const char* shader_version() {
  return "#version 300 es";
}

bool is_on_a_screen(int, int) {
  return false;
}

/// The page's, whatever was remembered.
std::pair<int, int> on_screen(int, int) {
  return {ridge_canvas_pixels(0), ridge_canvas_pixels(1)};
}

float scale_of(GLFWwindow*) {
  return static_cast<float>(ridge_pixel_ratio());
}

void watch_host(GLFWwindow* window, void (*on_event)()) {
  g_on_event = on_event;
  ridge_watch_page();
  ImGuiIO& io = ImGui::GetIO();
  io.SetClipboardTextFn = [](void*, const char* text) { ridge_copy_text(text); };
  io.GetClipboardTextFn = pasted_text;
  g_on_drop = glfwSetDropCallback(window, nullptr);  // the page puts them where they are kept
  // Pixels, and down is positive: in place of the backend's, for which a notch is 1 and up is positive.
  glfwSetScrollCallback(window, [](GLFWwindow*, double x, double y) {
    constexpr double kNotch_px = 100;
    ImGui::GetIO().MouseWheel -= static_cast<float>(y / kNotch_px);
    ImGui::GetIO().MouseWheelH -= static_cast<float>(x / kNotch_px);
    g_on_event();
  });
}

void read_back_buffer() {}  // WebGL 2 begins with it

void set_full_screen(GLFWwindow*, bool on, int (&)[4]) {
  ridge_full_screen(on ? 1 : 0);
}

void wait_events(double) {}

void wake_host() {
  g_is_woken = true;
  ridge_wake();
}

void give_back_host_memory() {}  // a page's memory never shrinks

void take_turns(std::unique_ptr<Turns> turns, bool (*has_event)(double timeout_s)) {
  g_loop = {std::move(turns), has_event, 0};
  ridge_begin_turns();
}

/// From the page, when a turn may be due: it is taken where there is a reason for one. How long the next may be waited
/// for, if no event comes, in seconds; negative: that was the last.
extern "C" EMSCRIPTEN_KEEPALIVE double ridge_turn() {
  if (!g_loop.turns) return -1;
  if (ridge_fit_canvas() != 0) g_on_event();
  const bool has_event = g_loop.has_event(0);
  const bool is_woken = std::exchange(g_is_woken, false);
  if (has_event || is_woken || glfwGetTime() >= g_loop.due_s) {
    if (!g_loop.turns->turn(has_event)) {
      g_loop.turns.reset();
      return -1;
    }
    g_loop.due_s = glfwGetTime() + g_loop.turns->wait_s();
  }
  return g_is_woken ? 0 : std::max(0.0, g_loop.due_s - glfwGetTime());
}

/// From the page: where a file lies that was dropped on it.
extern "C" EMSCRIPTEN_KEEPALIVE void ridge_dropped(const char* path) {
  g_on_drop(nullptr, 1, &path);
  wake_host();
}

void fetch_recorded_files(std::function<void()> ready) {
  g_recorded = std::move(ready);
  ridge_fetch_recorded();
}

/// From the page. Without them the labs work all the same.
extern "C" EMSCRIPTEN_KEEPALIVE void ridge_recorded_fetched(int is_there) {
  const auto ready = std::exchange(g_recorded, nullptr);
  if (is_there != 0 && ready) ready();
  wake_host();
}

std::future<Result<void>> copy_picture(const std::string& path, std::function<void()> done) {
  g_copying = std::make_unique<Copying>();
  g_copying->done = std::move(done);
  std::future<Result<void>> copied = g_copying->promise.get_future();
  ridge_copy_picture(path.c_str());
  return copied;
}

/// From the page: the browser has taken the picture, or refused it.
extern "C" EMSCRIPTEN_KEEPALIVE void ridge_picture_copied(int is_copied) {
  const auto copying = std::move(g_copying);
  if (!copying) return;
  copying->promise.set_value(
      is_copied != 0 ? Result<void>()
                     : Result<void>(Error{ErrorCode::unavailable,
                                          "the browser let no picture onto the clipboard", "",
                                          "open the file, which downloads it"}));
  copying->done();
}

}  // namespace ridge::window
