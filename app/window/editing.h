// A rung's file in the learner's hands: their copy, what became of each save, and the row that it has in
// the ladder. No ImGui here. One file is open at a time.
#pragma once

#include <optional>
#include <string>

#include "app/editing.h"
#include "app/window/state.h"

namespace ridge::window {

struct Editing {
  Editing(const Rung& original, const std::string& file);

  std::string kernel, id;  ///< of the original; of the learner's
  std::string title, change;
  Rung rung;  ///< the ladder's row; its texts are the strings above
  app::FileWatch watch;
  std::string text;     ///< as it stands in the window
  std::string on_disk;  ///< as it was last read or written
  std::string built;    ///< what the last build was asked for
  int texts = 0;        ///< counts the texts that did not come from the window
  bool wants_build = false, wants_run = false;
  bool cancels = false;                        ///< its run, because there is a newer text
  int64_t build_request = 0, run_request = 0;  ///< 0: none yet
  int64_t saved_ns = 0;                        ///< real-time clock, of what is built or run
  std::optional<double> first_s;               ///< from that save to the first verified number
  double look_s = 0;                           ///< when the file was last looked at
  bool is_unsaved() const { return text != on_disk; }
};

/// Whether the selected rung is the learner's.
bool edits_selected(const State& state);
std::string why_no_edit(const State& state);
std::string why_no_save(const State& state);
/// Makes the copy, where there is none, and opens it; the second time it goes back to it.
void start_editing(State& state);
void save_edit(State& state);
/// The original's text in the window and in the file; what was there is kept beside it.
void revert_edit(State& state);
/// Looks at the file, builds what was saved, runs what was built. True when something moved.
bool tick_editing(State& state, double now_s);

/// What the last build gave; null before it has ended.
const EditBuild* last_build(const State& state);
/// Where it stands, in a sentence; `is_error`: it did not build, or failed its check.
std::string editing_status(const State& state, bool* is_error);

}  // namespace ridge::window
