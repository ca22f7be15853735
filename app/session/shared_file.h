// A small JSON file that several windows of one user write: settings, what was learned. Each change of each survives.
#pragma once

#include <string>

#include "common/core/result.h"
#include "common/record/json.h"

namespace ridge::app {

/// `theirs` with what differs between `base` and `ours`: names and list entries that were added or taken away, and values
/// that were changed. A list of numbers is one value.
Json merged(const Json& base, const Json& ours, const Json& theirs);

/// Writes the JSON text `ours` to `path`, merged with what another window wrote there since `base`, the text that was
/// read there or written last; empty: none. Then `base` is `ours`. The folder is locked meanwhile, and made if it is
/// missing.
Result<void> write_shared(const std::string& path, const std::string& ours, std::string* base);

}  // namespace ridge::app
