// What of the recorded runs (app/recordings.h) fits what the person asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/recordings.h"
#include "common/record/run.h"

namespace ridge::window {

using app::asset_folder;
using app::load_recordings;
using app::Recording;

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

/// A whole text file; nullopt when it cannot be read.
std::optional<std::string> read_text(const std::string& path);

}  // namespace ridge::window
