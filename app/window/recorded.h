// Recorded runs shipped with the program (assets/recorded/*.jsonl): what a machine without a GPU
// shows for GPU rungs, always under the name of the machine that ran them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/record/run.h"

namespace ridge::window {

struct Recording {
  std::string path, machine;
  std::shared_ptr<const Run> run;
};

/// All readable recordings of a folder, by name. An unreadable one is left out and named in
/// `problems`.
std::vector<Recording> load_recordings(const std::string& folder,
                                       std::vector<std::string>* problems);

/// The series of `kernel` whose size is nearest to `wanted` (in ratio, over every shared integer
/// parameter; a different text parameter such as dtype is never "near"). Only finished series count.
struct Snapped {
  const Series* series = nullptr;
  bool exact = false;
  std::string shown_size;  ///< "n = 4096": the parameters that differ, where not exact
};
Snapped nearest_series(const Run& run, const std::string& kernel, const Params& wanted,
                       const std::string& cache);

/// The same for a paired comparison: the candidate's parameters count, the newest wins a tie.
struct SnappedComparison {
  const Comparison* comparison = nullptr;
  bool exact = false;
  std::string shown_size;
};
SnappedComparison nearest_comparison(const Run& run, const std::string& baseline,
                                     const std::string& candidate, const Params& wanted,
                                     const std::string& cache);

/// The folder of a shipped asset ("lessons", "recorded"): $RIDGEPOINT_ASSETS, then beside the
/// program, then the source tree. Empty when there is none.
std::string asset_folder(const std::string& name);

/// A whole text file; nullopt when it cannot be read.
std::optional<std::string> read_text(const std::string& path);

}  // namespace ridge::window
