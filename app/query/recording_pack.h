// Recordings as one file to send: a gzipped tar archive of LAB.MACHINE.jsonl files, whose headers name no user.
#pragma once

#include <string>
#include <vector>

#include "common/core/result.h"

namespace ridge::app {

struct PackedFile {
  std::string name, text;
};

/// Errors: cannot_write.
Result<void> write_pack(const std::string& path, const std::vector<PackedFile>& files);
/// Errors: bad_input, for what is no such pack, or one whose files do not lie flat.
Result<std::vector<PackedFile>> read_pack(const std::string& path);

}  // namespace ridge::app
