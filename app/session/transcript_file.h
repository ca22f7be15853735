// Transcripts on disk. Whatever happens a reader finds a whole old file, a whole new one, or, after
// a crash of this program, everything up to it in a file beside.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/session/transcript.h"
#include "common/core/result.h"
#include "common/record/seal.h"

namespace ridge::app {

/// Writes the lines beside `path`, then renames: never half a file.
Result<void> save_transcript(const std::string& path, const std::vector<std::string>& lines);
/// Copies the file at `path` to the first free of "run.1.jsonl", "run.2.jsonl" ... and says which, so that a new one in its
/// place loses nothing. Empty: there is no file. Errors: `cannot_write`.
Result<std::string> set_aside(const std::string& path);
/// The lines of a file, without an unfinished last one; none if it cannot be read.
std::vector<std::string> read_lines(const std::string& path);

/// A file that whole lines are appended to, and that is sealed (common/record/seal.h) whenever it goes to the disk. After an error it holds what it held before, and perhaps a cut line, which
/// the next attempt cuts off.
class LineFile {
 public:
  LineFile() = default;
  LineFile(LineFile&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), size_(other.size_), seal_(other.seal_) {}
  LineFile& operator=(LineFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    size_ = other.size_, seal_ = other.seal_;
    return *this;
  }
  ~LineFile();

  bool is_open() const { return fd_ >= 0; }
  // Each returns errno, or 0.
  int open(const std::string& path,
           bool is_new = false);  ///< what was there is lost; is_new: an error
  int append(std::string lines, bool to_disk);
  int close();

 private:
  int fd_ = -1;
  size_t size_ = 0;  ///< bytes of whole lines
  Seal seal_;        ///< of those since the last one
};

/// A transcript written while it grows: to `<path>.<pid>.part` until finish() renames it to `path`,
/// so that an older run at `path` stays whole until the new one is.
class GrowingFile {
 public:
  /// Errors: `cannot_write`, before anything was measured.
  static Result<GrowingFile> open(const std::string& path);
  GrowingFile(GrowingFile&& other) noexcept = default;
  GrowingFile& operator=(GrowingFile&&) = delete;
  /// Not finished: the part is removed, unless writing failed and it may be all that is left.
  ~GrowingFile();

  /// Appends what `lines` has beyond the last call. Errors: `cannot_write` (the disk is full, say).
  Result<void> append(const Transcript& lines);
  /// Appends whole lines. Errors: the same.
  Result<void> append_text(std::string text);
  Result<void> finish();

 private:
  GrowingFile(std::string path, std::string part, LineFile file);
  std::string path_, part_;
  LineFile file_;
  size_t lines_ = 0;  ///< in the file
  bool failed_ = false;
};

/// Appends a transcript to a file of its own while it grows, on a thread of its own: the thread that gives the
/// lines never waits for the disk. Where a program has one thread (common/core/background.h) it writes at once. A crash of this program loses no line that append() was given a quarter of
/// a second before; a crash of the machine none before the last sync().
class TranscriptWriter {
 public:
  /// A file that exists is written over. Whether it can be opened shows in take_error().
  explicit TranscriptWriter(std::string path);
  TranscriptWriter(const TranscriptWriter&) = delete;
  TranscriptWriter& operator=(const TranscriptWriter&) = delete;
  ~TranscriptWriter();  ///< writes and syncs what it was given

  /// Takes what `lines` has beyond the last call; after an error, beyond what is in the file.
  void append(const Transcript& lines);
  /// The same, and all of it is to be on the disk soon; after an error this is another attempt.
  void sync(const Transcript& lines);
  /// The error of the last attempt, once: `cannot_write`.
  std::optional<Error> take_error();

 private:
  void take(const Transcript& lines, bool to_disk);
  void loop();
  void write_waiting(std::unique_lock<std::mutex>& lock);
  int write(const std::string& text, bool to_disk);

  const std::string path_;
  LineFile file_;  ///< the thread's own

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;     ///< whole lines
  size_t lines_taken_ = 0;  ///< of the transcript: those in the file and those that wait
  size_t lines_in_file_ = 0;
  bool wants_sync_ = false, stops_ = false;
  bool has_failed_ = false;     ///< nothing is taken until sync()
  std::optional<Error> error_;  ///< not yet told
  std::thread thread_;          ///< last: it uses all of the above
};

}  // namespace ridge::app
