// Files that are there whole or not at all.
#pragma once

#include <string>

#include "common/core/result.h"

namespace ridge {

/// Writes `text` beside `path` and moves it there: a reader, or a power cut, finds the old file or the
/// new one. cannot_write with the reason; then nothing is left beside it.
Result<void> write_whole(const std::string& path, const std::string& text);

}  // namespace ridge
