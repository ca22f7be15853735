// The desktop window: what the command line calls. Everything behind these two functions needs
// Dear ImGui, GLFW and OpenGL 3; they exist only in a build with RIDGE_WINDOW=ON.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/core/level.h"
#include "common/core/result.h"
#include "common/record/types.h"

namespace ridge::window {

class Shell;
struct State;

/// What the targets of docs/ui.md are about.
struct WindowTiming {
  double first_frame_s = 0;      ///< from the call of open_window to the end of the first swap
  std::vector<double> frames_s;  ///< from the beginning of a frame to the end of its swap
  /// Turns of the window's loop since the first frame, waiting not counted: a click waits that long at most.
  std::vector<double> turns_s;
  std::vector<double> turns_cpu_s;  ///< processor time of the window's thread in them
  double idle_s = 0;                ///< since the last frame
  double idle_cpu_s = 0;            ///< processor time of this process in that time
};

struct WindowOptions {
  std::vector<std::string> worker_command;  ///< empty: the worker beside this program
  std::string replay;                       ///< a saved run to show instead of a live worker
  std::string claimed;                      ///< a saved run that came with a link
  std::string notice;                       ///< a sentence to begin with
  std::string lab;                          ///< empty: the one used last; without any, Home
  std::string rung;                         ///< in that lab, a kernel's id; empty: as it opens
  Params params;                            ///< of that lab, over its own
  std::string theme;                        ///< "dark", "light"; empty: as saved
  bool presenter = false;                   ///< begins in presenter mode
  float scale = 0;                          ///< 0.75 to 3; 0: as saved
  int width = 0, height = 0;                ///< 0: as remembered, else 1600 x 1000
  double close_after_s = 0;                 ///< > 0: for measuring; closes by itself
  WindowTiming* timing = nullptr;           ///< filled in when the window closes
  /// After every frame, on the window's thread: for tests that aim with a real mouse, and for bench_ui.
  std::function<void(const Shell&, const State&)> observe;
};

/// Opens the window and stays in it until it is closed. Returns the program's exit code; a missing
/// display is reported on stderr, with what to do instead.
int open_window(const WindowOptions& options);

struct ShotOptions {
  std::vector<std::string> scenes = {"lab"};  ///< {"all"}: every scene the run can show
  std::vector<std::string> themes = {"dark"};
  std::vector<float> scales = {1};
  std::string out;     ///< the PNG; of more than one picture: their folder
  std::string replay;  ///< empty: recorded runs only
  std::string lab;     ///< empty: the replay's, else the first
  std::string rung;    ///< kernel id or its last part; empty: as the lab opens
  int width = 1600, height = 1000;
  Level level = Level::kLab;  ///< how much of the window is shown
  bool kept =
      false;  ///< a run kept to be drawn again: nothing of it is stale, whatever became of the kernels
};

struct Picture {
  std::string scene, theme;
  float scale = 1;
  int width = 0, height = 0;
  std::vector<unsigned char> rgb;  ///< top row first
  std::string empty;               ///< what a place says that has nothing to show; empty: each shows something
  /// "lab-dark-1": the file's name in a folder of pictures.
  std::string name() const;
};

/// Draws each scene in each theme at each scale, off screen and in one window, and hands the pictures
/// over as they are made. Errors: usage for a scene that is not built (the message lists what exists),
/// bad_input for the run file, unavailable without a display, and what `take` says. Of several scenes those are drawn that
/// the run has something for, and the error names the others.
Result<void> draw_pictures(const ShotOptions& options,
                           const std::function<Result<void>(const Picture&)>& take);

/// The same into PNGs; says what went wrong and returns the exit code.
int shot(const ShotOptions& options);

/// The table of actions as text: one line each, its name, its key, what it does.
std::string actions_text();

/// What `shot` can draw.
const std::vector<std::string>& scene_names();

}  // namespace ridge::window
