// Faster options from a lab's ladder, and as text for a terminal.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/query/recordings.h"
#include "common/record/faster.h"
#include "labs/lab.h"

namespace ridge::app {

/// What could be faster than this rung: those after it in its ladder that are a step at these parameters, and the
/// libraries of its family and processor. Of an edit, those after its original. Empty for a library, and where the lab
/// does not have the rung.
std::vector<LadderRung> ladder_after(const Lab& lab, const std::string& kernel,
                                     const Params& params);
/// The run, then the recordings.
std::vector<FasterSource> faster_sources(const Run& run, std::span<const Recording> recordings);

/// The recordings, read where they are asked for the first time.
using RecordingsOf = std::function<std::span<const Recording>()>;
/// A line for each rung that has a faster option, under a heading; empty where none has. `request` 0: all series.
std::string faster_rungs_text(const Run& run, int64_t request, const Lab& lab,
                              const RecordingsOf& recordings);
/// The same of the fastest rung of ours that the request timed, as one line; empty: nothing here is faster.
std::string faster_line(const Run& run, int64_t request, const Lab& lab);

}  // namespace ridge::app
