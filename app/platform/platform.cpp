#include "app/platform/platform.h"

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
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "app/platform/host.h"
#include "app/platform/key_queue.h"

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

}  // namespace

Result<std::unique_ptr<Platform>> Platform::open(const Options& options) {
  RIDGE_TRY_VOID(find_window_libraries());
  glfwSetErrorCallback(on_error);
  if (!glfwInit()) return no_display(g_glfw_error);
  mind_host();
  ask_for_opengl();
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
    return no_opengl(g_glfw_error);
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
  watch_host(window, [] { g_event = true; });
  ImGui_ImplOpenGL3_Init(shader_version());
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
  const auto columns = static_cast<size_t>(*width), rows = static_cast<size_t>(*height);
  std::vector<unsigned char> upside_down(columns * rows * 4), pixels(columns * rows * 3);
  read_back_buffer();
  // A browser gives no other form than this.
  glReadPixels(0, 0, *width, *height, GL_RGBA, GL_UNSIGNED_BYTE, upside_down.data());
  for (size_t y = 0; y < rows; ++y) {
    const unsigned char* from = &upside_down[(rows - 1 - y) * columns * 4];
    unsigned char* to = &pixels[y * columns * 3];
    for (size_t x = 0; x < columns; ++x) std::memcpy(to + 3 * x, from + 4 * x, 3);
  }
  return pixels;
}

bool Platform::wait(double timeout_s) {
  wait_events(timeout_s);
  return std::exchange(g_event, false) || keys_wait();
}

void Platform::wake() {
  wake_host();
}

void Platform::give_back_memory() {
  give_back_host_memory();
}

void Platform::run(std::unique_ptr<Turns> turns) {
  take_turns(std::move(turns), [](double timeout_s) { return wait(timeout_s); });
}

void Platform::fetch_recorded(std::function<void()> ready) {
  fetch_recorded_files(std::move(ready));
}

bool Platform::should_close() const {
  return glfwWindowShouldClose(window_);
}

void Platform::set_full_screen(bool on) {
  if (on == full_screen_) return;
  full_screen_ = on;
  window::set_full_screen(window_, on, saved_);
}

void Platform::set_title(const std::string& title) {
  if (title == title_) return;
  title_ = title;
  glfwSetWindowTitle(window_, title.c_str());
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
  return scale_of(window_);
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

}  // namespace ridge::window
