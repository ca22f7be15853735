// Transcripts on disk. Whatever happens a reader finds a whole old file, a whole new one, or, after
// a crash of this program, everything up to it in a file beside.
#pragma once

#include <string>
#include <vector>

#include "common/core/result.h"

namespace ridge::app {

/// Writes the lines beside `path`, then renames: never half a file.
Result<void> save_transcript(const std::string& path, const std::vector<std::string>& lines);
/// The lines of a file, without an unfinished last one; none if it cannot be read.
std::vector<std::string> read_lines(const std::string& path);

/// A transcript written while it grows: to `<path>.<pid>.part` until finish() renames it to `path`,
/// so that an older run at `path` stays whole until the new one is.
class GrowingFile {
 public:
  /// Errors: `cannot_write`, before anything was measured.
  static Result<GrowingFile> open(const std::string& path);
  GrowingFile(GrowingFile&& other) noexcept;
  GrowingFile& operator=(GrowingFile&&) = delete;
  /// Not finished: the part is removed, unless writing failed and it may be all that is left.
  ~GrowingFile();

  /// Appends what `lines` has beyond the last call. Errors: `cannot_write` (the disk is full, say).
  Result<void> append(const std::vector<std::string>& lines);
  Result<void> finish();

 private:
  GrowingFile(std::string path, std::string part, int fd);
  std::string path_, part_;
  int fd_ = -1;
  size_t written_ = 0;
  bool failed_ = false;
};

}  // namespace ridge::app
