#include "app/session/transcript_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace ridge::app {
namespace {

Error write_error(const std::string& path, int number) {
  return {ErrorCode::cannot_write, std::string("it cannot be written: ") + strerror(number),
          "'" + path + "'", "choose a folder that exists and may be written, with space left"};
}

/// Returns errno, or 0.
int write_all(int fd, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    done += static_cast<size_t>(n);
  }
  return 0;
}

}  // namespace

Result<void> save_transcript(const std::string& path, const std::vector<std::string>& lines) {
  RIDGE_TRY(GrowingFile file, GrowingFile::open(path));
  RIDGE_TRY_VOID(file.append(lines));
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
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return write_error(path, errno);
  return GrowingFile(path, part, fd);
}

GrowingFile::GrowingFile(std::string path, std::string part, int fd)
    : path_(std::move(path)), part_(std::move(part)), fd_(fd) {}

GrowingFile::GrowingFile(GrowingFile&& other) noexcept
    : path_(std::move(other.path_)),
      part_(std::move(other.part_)),
      fd_(std::exchange(other.fd_, -1)),
      written_(other.written_),
      failed_(other.failed_) {}

GrowingFile::~GrowingFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!failed_) ::unlink(part_.c_str());
}

Result<void> GrowingFile::append(const std::vector<std::string>& lines) {
  std::string text;
  for (size_t i = written_; i < lines.size(); ++i) text += lines[i] + "\n";
  if (const int failed = write_all(fd_, text)) {
    failed_ = true;
    return write_error(part_, failed);
  }
  written_ = lines.size();
  return {};
}

Result<void> GrowingFile::finish() {
  int failed = ::fsync(fd_) != 0 && errno != EINVAL ? errno : 0;
  if (::close(std::exchange(fd_, -1)) != 0 && !failed) failed = errno;
  if (!failed && ::rename(part_.c_str(), path_.c_str()) != 0) failed = errno;
  if (failed) return write_error(path_, failed);
  return {};
}

}  // namespace ridge::app
