// What was written last. Every export ends here, whatever it wrote: one bar over the bottom bar names it and offers to
// open it, to show its folder, and to copy it in words.
#pragma once

#include <string>
#include <vector>

#include "app/platform/opener.h"

namespace ridge::window {

struct State;

struct Written {
  std::string what;     ///< "Report (HTML, Markdown)"; empty: there is no bar
  std::string file;     ///< what Open opens, an absolute path
  std::string folder;   ///< where it lies
  std::string summary;  ///< it in plain text, for a mail
  std::string said;     ///< what the last button did, in place of the path
  bool is_error = false;
  std::vector<Opener> openers;  ///< started, and not ended yet
};

/// Shows the bar for a file; `summary` is it in words.
void note_written(State& state, const std::string& what, const std::string& file,
                  const std::string& summary);
/// At each refresh: an opener that ends in failure says so in the bar, and true is returned.
bool watch_openers(State& state);

std::string written_blocker(const State& state);
void open_written(State& state);
void show_written_folder(State& state);
void copy_summary(State& state);
void copy_written_path(State& state);
void close_written(State& state);

}  // namespace ridge::window
