// What 'ridgepoint record' does: a lab's rungs on one machine, in one session and not one command each, so that ceilings and
// awkward shapes are measured once. Every rung at every point in every data type of the plan, then the libraries in pairs, and
// all rungs in turns: each against the one before it and against the library that won. The file is then made small
// (compact.h).
#pragma once

#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "common/core/backend.h"
#include "common/core/result.h"
#include "labs/lab.h"

namespace ridge::app {

struct RecordPlan {
  std::string out;
  double budget_s = 260;  ///< no new measurement is begun after that
  double longest_s =
      0.6;  ///< a rung whose call takes longer is left out; a training has a hundred times that
  Backend backend = Backend::cuda;
  std::vector<std::string> dtypes;  ///< empty: each rung's own
  std::vector<std::string> rungs;   ///< parts of ids; empty: all rungs
  /// A size (a number), settings ("m=1000,n=777") or "-", the lab's own defaults.
  std::vector<std::string> points;
  /// Then the lanes of the rungs' warps at each point too, of those with a stamped copy.
  bool lanes = false;
  /// The points where energy, telemetry and hardware counters are recorded too; a row takes twice its time there.
  std::vector<std::string> energy;
  /// The points whose last rung meets the libraries in sustained turns, most of a minute a pair. Elsewhere a held clock
  /// is said. One that is not among `points` holds these turns and nothing else.
  std::vector<std::string> sustained;
};

/// Whether a build of this commit may record into `path`: into assets/recorded, which ships, a clean one alone, or any
/// where `dirty` is said. The recording names its commit whatever is said.
Result<void> may_record(const std::string& commit, const std::string& path, bool dirty);
/// The same for what is sent to others.
Result<void> may_contribute(const std::string& commit, bool dirty);

/// Records `lab` into plan.out. Returns the table of what was recorded and what was left out. A rung whose call would pass
/// plan.longest_s is left out. Errors: unavailable, where this machine runs none of these rungs; what the worker says.
Result<std::string> record(const Lab& lab, const RecordPlan& plan, const CommonOptions& common);

}  // namespace ridge::app
