// The history of a rung: its results over time, where their level changed, and what differs between the two sides of a
// change. The one reduction behind command line, page and window.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/history/history_store.h"
#include "common/record/json.h"
#include "common/stats/change_points.h"
#include "common/view/chart/history.h"

namespace ridge::history {

/// A change of level. What differs is asked of the last result that is surely before it and the first that is surely after.
struct LevelChange : stats::Change {
  std::string before_hash, after_hash;  ///< of the source
  /// What is known to differ, one phrase each: "commit 1a2b3c → 4d5e6f". Empty: nothing that is kept. Never a cause.
  std::vector<std::string> differs;
  /// What is the same on both sides: "machine", "compiler".
  std::vector<std::string> same;
};

/// One rung at one problem on one machine, timed in one way: values that may stand in one line.
struct RungHistory {
  std::string lab, kernel, params, machine, how;
  std::vector<Entry> entries;  ///< in the order of time, one at least
  stats::ChangePoints found;
  std::vector<LevelChange> changes;  ///< of `found`, in the order of time
};

/// What is asked of the history; empty fields ask for all.
struct Asked {
  std::string kernel;   ///< whole id
  std::string machine;  ///< a part of its name, in any case
  std::string params;   ///< "n=1024": all of these
};
/// The histories that fit, by lab, in it as its ladder has the rungs, then by problem and machine; one with newer results before others of its rung.
std::vector<RungHistory> rung_histories(std::vector<Entry> entries, const Asked& asked);

/// "n = 1024, fp32, 2 threads": its parameters as the window's controls name them.
std::string problem_text(const RungHistory& history);
/// "2026-11-26 23:14", UTC.
std::string time_text(double utc_s);
/// "+3.0 % [+2.6 %, +3.4 %]": of a time, so more is slower.
std::string step_text(const stats::Change& change);
/// When the first result at the new level came: "2026-11-26 23:14", and from when to when it may have been.
std::string place_text(const RungHistory& history, const stats::Change& change);
/// "What is kept differs in: source 1a2b3c4d → 5e6f7a8b, commit 1a2b3c → 4d5e6f. The same: machine, compiler."
std::string differences_text(const LevelChange& change);
/// What changed in the rung's file at a change: lines with "+", "-" and a space before them; one sentence where there is
/// nothing to show. `sources` by hash.
std::string source_diff(const LevelChange& change, const std::map<std::string, Source>& sources);

/// All of them, a line each: the newest value, how many results, the last change.
std::string summary_text(const std::vector<RungHistory>& all);
/// One over time, with its changes; the newest `most` results.
std::string history_text(const RungHistory& history, size_t most);
Json history_json(const std::vector<RungHistory>& all);
std::string history_csv(const std::vector<RungHistory>& all);
chart::HistoryInput chart_input(const RungHistory& history);

}  // namespace ridge::history
