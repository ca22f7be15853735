// What a person has done with the program so far: runs that can be opened again, and which rungs were
// verified on this machine. Both are kept in the settings file; the runs themselves as transcripts.
#pragma once

#include <string>

#include "app/window/shell/state.h"

namespace ridge::window {

/// $XDG_STATE_HOME or ~/.local/state, then ridgepoint/runs. Empty without a home.
std::string default_runs_folder();

/// At each refresh: from the first measurement on the session keeps its transcript below state.runs_folder
/// (one file a session, the newest kKeptRuns are kept), and the run is listed first. Does nothing for a
/// replay; nothing is kept where runs_folder is empty. What cannot be written shows in the notice.
void keep_run(State& state);
/// After a request has ended: notes verified rungs, brings what is kept to the disk, lists the run with what
/// it holds now.
void remember_run(State& state);
inline constexpr size_t kKeptRuns = 20;

/// Puts a run first in the list, once; drops what is beyond kKeptRuns.
void list_recent(State& state, const std::string& path, const Run& run);

/// Shows a saved run instead of the worker's, from the next refresh() on; an empty path leads back to
/// the worker. Refused, with the reason in the notice, while something is being measured.
void open_run(State& state, const std::string& path);
/// What refresh() does about it.
void open_wanted_run(State& state);

struct LabProgress {
  int verified = 0, runnable = 0;
};
/// Rungs of a lab that were verified here, of those that this machine can run (0: not known yet).
LabProgress lab_progress(const State& state, const Lab& lab);

}  // namespace ridge::window
