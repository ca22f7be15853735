// What was written last. Every export ends here, whatever it wrote: one bar in the place of the bottom bar names it and offers to
// open it, to show its folder, and to copy it in words.
#pragma once

#include <string>
#include <vector>

#include "app/platform/opener.h"

namespace ridge::window {

struct State;
enum class ScreenId;

/// How long the bar stands, from what was written or was done with it last.
inline constexpr double kWritten_s = 6;

struct Written {
  std::string what;     ///< "Report (HTML, Markdown)"; empty: there is no bar
  std::string file;     ///< what Open opens, an absolute path
  std::string folder;   ///< where it lies
  std::string summary;  ///< it in plain text, for a mail
  std::string said;     ///< what the last button did, in place of the path
  bool is_error = false;
  ScreenId screen{};   ///< where it was written: on another the bar goes
  double until_s = 0;  ///< of the window's clock, when the bar goes; 0: it was not drawn yet
  std::vector<Opener> openers;  ///< started, and not ended yet
};

/// Shows the bar for a file; `summary` is it in words.
void note_written(State& state, const std::string& what, const std::string& file,
                  const std::string& summary);
/// At each refresh: the bar goes with its screen, or when a notice comes, and an opener that ends in failure says so in it. True: it changed.
bool watch_written(State& state);

std::string written_blocker(const State& state);
void open_written(State& state);
void show_written_folder(State& state);
void copy_summary(State& state);
void copy_written_path(State& state);
void close_written(State& state);

}  // namespace ridge::window
