// The recorded runs (app/query/recordings.h), and what of them is nearest to what was asked for (app/query/nearest.h).
#pragma once

#include <optional>
#include <string>

#include "app/query/recordings.h"

namespace ridge::window {

using app::asset_folder;
using app::load_recordings;
using app::nearest_comparison;
using app::nearest_series;
using app::Recording;
using app::Snapped;
using app::SnappedComparison;

/// A whole text file; nullopt when it cannot be read.
std::optional<std::string> read_text(const std::string& path);

}  // namespace ridge::window
