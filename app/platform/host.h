// What a desktop and a browser do differently for the window: host.cpp and web/host.cpp, of which a build has one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "app/platform/platform.h"
#include "common/core/result.h"

struct GLFWwindow;

namespace ridge::window {

/// unavailable: the libraries of the window are not there.
Result<void> find_window_libraries();
/// After glfwInit(): what else has to be watched there.
void mind_host();
/// Without a display: what to do about it.
Error no_display(const std::string& what);
/// Without the OpenGL that the window needs.
Error no_opengl(const std::string& what);
/// Before a window is made: the OpenGL to ask for.
void ask_for_opengl();
/// The first line of ImGui's shaders.
const char* shader_version();

/// A place that was remembered may be on a screen that is gone.
bool is_on_a_screen(int x, int y);
/// No larger than the first screen's room.
std::pair<int, int> on_screen(int width, int height);
/// How much larger than at 96 dots an inch things are to be drawn.
float scale_of(GLFWwindow* window);
/// After ImGui's backend has begun: what it does not know of this host. `on_event` is called for each event that a
/// frame is to be drawn for.
void watch_host(GLFWwindow* window, void (*on_event)());

/// Draws are read from the buffer that the next swap shows.
void read_back_buffer();
void set_full_screen(GLFWwindow* window, bool on, int (&saved)[4]);

/// Waits for an event, wake_host() or the timeout.
void wait_events(double timeout_s);
/// From any thread.
void wake_host();
/// Platform::give_back_memory().
void give_back_host_memory();
/// Takes the turns, until one says that it was the last. In a browser it returns at once and the page takes them.
void take_turns(std::unique_ptr<Turns> turns, bool (*has_event)(double timeout_s));

/// Platform::fetch_recorded().
void fetch_recorded_files(std::function<void()> ready);

}  // namespace ridge::window
