// What is remembered between starts: theme, scale, the widths of the side panels, where the window
// stood, the last lab, and what history.h keeps.
#pragma once

#include <array>
#include <string>

namespace ridge::window {

struct State;

/// How the window looks.
struct Appearance {
  bool light_theme = false;
  bool reduced_motion = false;  ///< nothing moves by itself
  float scale = 1;              ///< 0.75 to 3
  bool full_screen = false;
  float left_width = 228;  ///< of the side panels at scale 1, pixels
  float right_width = 0;   ///< the same; 0: as fits
};

/// Where things lie, and how the worker is started.
struct Settings {
  std::string path;             ///< of the file; empty: nothing is saved (tests, shot)
  std::string worker_command;   ///< as given; empty: the worker beside this program
  std::array<int, 4> window{};  ///< x, y, width, height when last closed; width 0: as given
  std::string edits_folder;     ///< where copies are made; empty: the learner's own
  std::string class_folder;     ///< of the leaderboard's runs; empty: those of this machine
  std::string export_root;      ///< folder under which exports are written
};

/// $XDG_CONFIG_HOME or ~/.config, then ridgepoint/settings.json. Empty without a home.
std::string default_settings_path();
/// Reads what is there into state->appearance; a missing or damaged file leaves the defaults.
void load_settings(State* state);
/// Writes to state->settings.path, unless that is empty; a failure becomes the notice.
void save_settings(State* state);

}  // namespace ridge::window
