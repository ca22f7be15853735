// Makes a recording small enough to ship: what was found stays (environment, catalogue, sources,
// ceilings, results, comparisons), what it was computed from goes (samples, telemetry, phases).
#pragma once

#include <string>

#include "common/core/result.h"

namespace ridge::tests {

/// Rewrites the transcript `path` in place; on an Error it is as it was. The sides of a comparison
/// go too where the same kernel was run on its own with the same parameters, and texts of rungs that a
/// recording beside this one holds. Numbers of results keep six digits.
Result<void> compact(const std::string& path);

}  // namespace ridge::tests
