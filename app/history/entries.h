// What of a run enters the history: results that this program measured and verified. A result that failed, was cut short or
// is claimed only, a benchmark of another program, a user's command, a trap and a machine that is not recorded leave
// nothing there. Whether a rung has changed since does not matter here: each result has the hash of its source beside it.
#pragma once

#include <string>
#include <vector>

#include "app/history/history_store.h"
#include "common/record/run.h"

namespace ridge::history {

struct RunEntries {
  std::vector<Entry> entries;
  std::vector<Source> sources;
  int left_out = 0;      ///< results with a time that do not enter
  uint64_t version = 0;  ///< the highest of the run's series
};
/// Of the series that have changed after this version (SeriesFacts::version).
RunEntries entries_of(const Run& run, uint64_t after = 0);

/// Adds what a run that has just ended leaves, to the history at history_path(). Nothing where none is kept. Errors: as of
/// HistoryStore; the run itself is none the worse.
Result<Added> remember(const RunEntries& entries);

}  // namespace ridge::history
