// Makes a recording small enough to ship: what was found stays (environment, its lab's catalogue, sources, ceilings,
// results, comparisons, a GPU's telemetry beside a run with an energy pass), what it was computed from goes (samples,
// phases).
#pragma once

#include <string>

#include "common/core/result.h"

namespace ridge::app {

/// A curve keeps so many points: its evaluations, its ends, and of the others every so many. Of a training with several
/// seeds the first curve does; the others, which show the spread, keep evaluations and ends, and of these loss and quality.
inline constexpr size_t kMostCurvePoints = 200;

/// Lines of a transcript that a recording has none of: "samples", "phase".
bool is_raw(const std::string& type);

/// Rewrites the transcript `path` in place; on an Error it is as it was. A comparison that did not end goes, one
/// without an interval, and a rung that was cancelled. Of the catalogue the GPU rungs of the lab that was run stay, and
/// what has a result. The sides of a comparison go where the same kernel was run on its own with the same parameters,
/// and so do texts of rungs that a recording beside this one holds. Of telemetry two readings a second stay. Numbers of
/// results keep six digits. A rung that was timed in turns with the others of its ladder (a comparison that names its
/// pairs) has the time of those rounds in its result, and its note says so. Compacting twice is compacting once.
Result<void> compact(const std::string& path);

}  // namespace ridge::app
