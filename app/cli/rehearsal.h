// A tour run here without a window: what each step takes on this machine, and a saved run for each, to
// be replayed when the room's machine fails.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "app/query/selection.h"
#include "app/study/tour.h"

namespace ridge::app {

struct RehearsedStep {
  int number = 0;  ///< from 1
  const study::TourStep* step = nullptr;
  /// Of its runs and its comparison, with the ceilings, which every step measures anew here and a
  /// room's one worker only once; 0: nothing ran.
  double run_s = 0;
  std::string path;             ///< the saved run; empty: none
  std::vector<NotRun> not_run;  ///< rungs that this machine cannot run
  std::string outcome;          ///< "2 rungs, faster"
  int code = 0;                 ///< 0, 3 (a check failed), 69 (nothing runs here), or of the error
  std::string error;
};

/// Stops early only where it was cancelled or the folder cannot be written. `done` hears of each step.
std::vector<RehearsedStep> rehearse(const CommonOptions& common, const study::Tour& tour,
                                    const std::string& folder,
                                    const std::function<void(const RehearsedStep&)>& done);

}  // namespace ridge::app
