// Recorded runs shipped with the program (assets/recorded/*.jsonl): what a machine without a GPU
// shows for GPU rungs, always under the name of the machine that ran them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/record/run.h"

namespace ridge::app {

struct Recording {
  std::string path, machine, title;
  std::shared_ptr<const Run> run;
};

/// What a run holds, in a line: "GEMM · 7 rungs · 2 comparisons".
std::string title_of_run(const Run& run);

/// All readable recordings of a folder, by name. An unreadable one is left out and named in
/// `problems`.
std::vector<Recording> load_recordings(const std::string& folder,
                                       std::vector<std::string>* problems);

/// The folder of a shipped asset ("lessons", "recorded"): $RIDGEPOINT_ASSETS, then beside the
/// program, then the source tree. Empty when there is none.
std::string asset_folder(const std::string& name);

}  // namespace ridge::app
