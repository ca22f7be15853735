// Whole files, and the user's folders (XDG base directories).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/core/result.h"

namespace ridge {

/// The bytes of a file. bad_input with the reason: it is missing, a folder, or may not be read.
Result<std::string> read_whole(const std::string& path);

/// What a folder holds, in the order of names. None where it is no folder or cannot be read; what was read before a disk
/// or a network failed is there.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// Writes `text` beside `path` and moves it there: a reader, or a power cut, finds the old file or the
/// new one. cannot_write with the reason; then nothing is left beside it.
Result<void> write_whole(const std::string& path, const std::string& text);

/// Where what is made on the way lies: $TMPDIR, or /tmp where that is no folder.
std::string temporary_folder();

// ridgepoint/`part` in the folder that the user's environment names, else in its usual place in the home. Empty where
// neither is known.
std::string cache_folder(
    const std::string& part);  ///< $XDG_CACHE_HOME, ~/.cache: can be made again
std::string config_folder(const std::string& part);  ///< $XDG_CONFIG_HOME, ~/.config: settings
std::string data_folder(
    const std::string& part);  ///< $XDG_DATA_HOME, ~/.local/share: the user's own work
std::string state_folder(
    const std::string& part);  ///< $XDG_STATE_HOME, ~/.local/state: what was done last

}  // namespace ridge
