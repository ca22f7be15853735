// Makes a recording small enough to ship: what was found stays (environment, catalogue, sources,
// ceilings, results, comparisons), what it was computed from goes (samples, telemetry, phases).
#pragma once

#include <string>

#include "common/core/result.h"

namespace ridge::tests {

/// Rewrites the transcript `path` in place; on an Error it is as it was. The sides of a comparison
/// go too where the same kernel was run on its own with the same parameters.
Result<void> compact(const std::string& path);

}  // namespace ridge::tests
