#include "app/session/transcript_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "common/core/background.h"

namespace ridge::app {
namespace {

Error write_error(const std::string& path, int number) {
  return {ErrorCode::cannot_write, std::string("it cannot be written: ") + strerror(number),
          "'" + path + "'",
          number == EISDIR ? "name a file in it, such as '" + path + "/run.jsonl'"
                           : "choose a folder that exists and may be written, with space left"};
}

/// `seal` with these lines. A run that is saved again brings its own seals, each the end of a part.
Seal sealed_with(std::string_view lines, Seal seal) {
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    if (is_seal(line))
      seal = Seal();
    else
      seal.take(line);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return seal;
}

}  // namespace

// ---- a file that lines are appended to -----------------------------------------------------------

LineFile::~LineFile() {
  if (fd_ >= 0) ::close(fd_);
}

int LineFile::open(const std::string& path, bool is_new) {
  const int how = is_new ? O_EXCL | O_NOFOLLOW : O_TRUNC;
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, 0644);
  return fd_ < 0 ? errno : 0;
}

int LineFile::append(std::string lines, bool to_disk) {
  Seal seal = sealed_with(lines, seal_);
  if (to_disk && seal.lines() > 0) lines += std::exchange(seal, Seal()).line() + "\n";
  const auto end = static_cast<off_t>(size_);
  if (::ftruncate(fd_, end) != 0 || ::lseek(fd_, end, SEEK_SET) != end) return errno;
  for (size_t done = 0; done < lines.size();) {
    const ssize_t n = ::write(fd_, lines.data() + done, lines.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    done += static_cast<size_t>(n);
  }
  if (to_disk && ::fsync(fd_) != 0 && errno != EINVAL) return errno;
  size_ += lines.size();
  seal_ = seal;
  return 0;
}

int LineFile::close() {
  return ::close(std::exchange(fd_, -1)) != 0 ? errno : 0;
}

Result<void> save_transcript(const std::string& path, const std::vector<std::string>& lines) {
  RIDGE_TRY(GrowingFile file, GrowingFile::open(path));
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  RIDGE_TRY_VOID(file.append_text(std::move(text)));
  return file.finish();
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line) && !file.eof();) lines.push_back(line);
  return lines;
}

Result<GrowingFile> GrowingFile::open(const std::string& name) {
  // Renaming over a link or a device would replace it: write to what a link points at, and to
  // nothing but a regular file.
  std::string path = name;
  if (char* real = ::realpath(name.c_str(), nullptr)) {
    path = real;
    ::free(real);
  }
  struct stat info;
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return write_error(path, EISDIR);
    if (!S_ISREG(info.st_mode)) {
      return Error{ErrorCode::cannot_write, "it is not a regular file", "'" + path + "'",
                   "name a file, as in --out run.jsonl"};
    }
    if (::access(path.c_str(), W_OK) != 0) return write_error(path, errno);
  }
  const std::string part = path + "." + std::to_string(::getpid()) + ".part";
  ::unlink(part.c_str());  // of a process that had this number before
  LineFile file;
  if (const int failed = file.open(part, true)) return write_error(path, failed);
  return GrowingFile(path, part, std::move(file));
}

GrowingFile::GrowingFile(std::string path, std::string part, LineFile file)
    : path_(std::move(path)), part_(std::move(part)), file_(std::move(file)) {}

Result<std::string> set_aside(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::string();
  const std::filesystem::path whole(path);
  for (int number = 1;; ++number) {
    std::filesystem::path older = whole;
    older.replace_filename(whole.stem().string() + "." + std::to_string(number) +
                           whole.extension().string());
    if (std::filesystem::copy_file(whole, older, error)) return older.string();
    if (error != std::errc::file_exists) return write_error(older.string(), error.value());
  }
}

GrowingFile::~GrowingFile() {
  if (file_.is_open() && !failed_) ::unlink(part_.c_str());
}

Result<void> GrowingFile::append(const Transcript& lines) {
  RIDGE_TRY(std::string text, lines.text_from(lines_));
  RIDGE_TRY_VOID(append_text(std::move(text)));
  lines_ = lines.size();
  return {};
}

Result<void> GrowingFile::append_text(std::string text) {
  if (const int failed = file_.append(std::move(text), false)) {
    failed_ = true;
    return write_error(part_, failed);
  }
  return {};
}

Result<void> GrowingFile::finish() {
  int failed = file_.append("", true);
  if (const int closing = file_.close(); !failed) failed = closing;
  if (!failed && ::rename(part_.c_str(), path_.c_str()) != 0) failed = errno;
  if (failed) return write_error(path_, failed);
  return {};
}

// ---- a file that is written beside the window ----------------------------------------------------

TranscriptWriter::TranscriptWriter(std::string path)
    : path_(std::move(path)) {
  if (has_threads()) thread_ = std::thread([this] { loop(); });
}

TranscriptWriter::~TranscriptWriter() {
  {
    std::unique_lock lock(mutex_);
    stops_ = wants_sync_ = true;
    if (!has_threads()) write_waiting(lock);
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void TranscriptWriter::append(const Transcript& lines) {
  take(lines, false);
}

void TranscriptWriter::sync(const Transcript& lines) {
  take(lines, true);
}

void TranscriptWriter::take(const Transcript& lines, bool to_disk) {
  {
    std::unique_lock lock(mutex_);
    if (to_disk) has_failed_ = false;
    if (has_failed_ || (lines_taken_ >= lines.size() && !to_disk)) return;
    wants_sync_ |= to_disk;
    if (const auto text = lines.text_from(lines_taken_); text) {
      waiting_ += *text;
      lines_taken_ = lines.size();
    } else {  // what waits is written all the same
      error_ = text.error();
      has_failed_ = true;
    }
    if (!has_threads()) write_waiting(lock);
  }
  changed_.notify_one();
}

std::optional<Error> TranscriptWriter::take_error() {
  const std::lock_guard lock(mutex_);
  return std::exchange(error_, std::nullopt);
}

void TranscriptWriter::loop() {
  constexpr auto kPause =
      std::chrono::milliseconds(200);  // many lines at once, five times a second
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return wants_sync_ || !waiting_.empty(); });
    changed_.wait_for(lock, kPause, [this] { return wants_sync_; });
    const bool is_last = stops_;
    write_waiting(lock);
    if (is_last) return;
  }
}

/// The lock is open while it writes.
void TranscriptWriter::write_waiting(std::unique_lock<std::mutex>& lock) {
  const bool to_disk = std::exchange(wants_sync_, false);
  const std::string text = std::exchange(waiting_, {});
  const size_t lines = lines_taken_;
  lock.unlock();
  const int failed = write(text, to_disk);
  lock.lock();
  if (failed != 0) {
    has_failed_ = true;
    waiting_.clear();
    lines_taken_ = lines_in_file_;
    error_ = write_error(path_, failed);
  } else {
    lines_in_file_ = lines;
  }
}

/// Returns errno, or 0.
int TranscriptWriter::write(const std::string& text, bool to_disk) {
  if (!file_.is_open()) {
    if (const int failed = file_.open(path_)) return failed;
  }
  return file_.append(text, to_disk);
}

}  // namespace ridge::app
