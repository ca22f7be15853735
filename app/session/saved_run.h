// A run that was saved: the one reader of it, behind a replay, a report and the recordings alike.
#pragma once

#include <span>
#include <string>

#include "common/core/result.h"
#include "common/record/run.h"

namespace ridge::app {

/// A saved run with its stale results marked, by the hashes of today's rungs. Errors: as of Run::load().
Result<Run> load_saved(const std::string& path, std::span<const RungHash> now = rung_hashes());

}  // namespace ridge::app
