// The desktop window: what the command line calls. Everything behind these two functions needs
// Dear ImGui, GLFW and OpenGL 3; they exist only in a build with RIDGE_WINDOW=ON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/core/result.h"

namespace ridge::window {

struct WindowOptions {
  std::vector<std::string> worker_command;  ///< empty: the worker beside this program
  std::string replay;                       ///< a saved run to show instead of a live worker
  std::string lab;                          ///< empty: the one used last; without any, Home
  std::string theme;                        ///< "dark", "light"; empty: as saved
  bool presenter = false;                   ///< begins in presenter mode
  float scale = 0;                          ///< 0.75 to 3; 0: as saved
  int width = 0, height = 0;                ///< 0: as remembered, else 1600 x 1000
  double close_after_s = 0;                 ///< > 0: for measuring; closes by itself
  bool print_timing = false;                ///< first frame, frame P99, idle share, on stderr
};

/// Opens the window and stays in it until it is closed. Returns the program's exit code; a missing
/// display is reported on stderr, with what to do instead.
int open_window(const WindowOptions& options);

struct ShotOptions {
  std::string scene = "lab";
  std::string out;     ///< the PNG
  std::string replay;  ///< empty: recorded runs only
  std::string lab;     ///< empty: the replay's, else the first
  std::string rung;    ///< kernel id or its last part; empty: as the lab opens
  std::string theme = "dark";
  float scale = 1;
  int width = 1600, height = 1000;
};

/// Draws one scene off screen and writes it as PNG. Exit code: 0; 64 for a scene that is not built
/// (the message lists what exists), 65 for a bad run file, 69 without a display, 73 not writable.
int shot(const ShotOptions& options);

/// The table of actions as text: one line each, its name, its key, what it does.
std::string actions_text();

/// What `shot` can draw.
const std::vector<std::string>& scene_names();

}  // namespace ridge::window
