// The folder of a sweep: plan.json says which plan it is of, and each start of a worker leaves a transcript
// worker-001.jsonl, to which whole points alone are appended. Locks keep a second sweep out.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/session/file_lock.h"
#include "app/session/transcript_file.h"
#include "app/sweep/sweep_plan.h"
#include "common/core/result.h"

namespace ridge::sweep {

/// What a folder has of a plan.
struct Progress {
  std::set<std::string> complete;     ///< keys of points
  std::vector<std::string> unclosed;  ///< transcripts whose sweep did not end by itself
};

/// A transcript that this sweep writes.
class PointFile {
 public:
  /// Whole lines.
  Result<void> append(std::string lines);
  /// The last one's seal, and to the disk.
  Result<void> close();
  const std::string& path() const { return path_; }

 private:
  friend class SweepFolder;
  std::string path_;
  app::LineFile file_;
  app::FileLock lock_;  ///< another sweep does not cut it
};

class SweepFolder {
 public:
  /// Makes it where there is none, and locks it: alone, or beside the other shares of as many. Errors: cannot_write; usage,
  /// another sweep runs in it.
  static Result<SweepFolder> open(const std::string& path, const Share& share);

  /// Writes the plan's fingerprint where there is none. Errors bad_input: the folder is of another plan, or a rung has
  /// changed since; it holds other files than a sweep's.
  Result<void> keep_plan(const Plan& plan);
  /// Reads what is complete. A point that was being written when a sweep was killed is cut off.
  Result<Progress> read_progress() const;
  /// A file that does not exist yet.
  Result<PointFile> new_transcript() const;
  std::vector<std::string> transcripts() const;
  const std::string& path() const { return path_; }

 private:
  Result<void> lock(const Share& share);
  Result<void> lock_share(const Share& share);

  std::string path_;
  app::FileLock whole_, share_;
};

}  // namespace ridge::sweep
