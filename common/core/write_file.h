// Files that are there whole or not at all.
#pragma once

#include <string>

#include "common/core/result.h"

namespace ridge {

/// Writes `text` beside `path` and moves it there: a reader, or a power cut, finds the old file or the
/// new one. cannot_write with the reason; then nothing is left beside it.
Result<void> write_whole(const std::string& path, const std::string& text);

/// ridgepoint/`part` in XDG_CACHE_HOME, or in ~/.cache; empty where neither is known.
std::string cache_folder(const std::string& part);

}  // namespace ridge
