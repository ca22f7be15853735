#include "app/session/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace ridge::app {

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

int FileLock::take(const std::string& path, Kind kind, bool waits) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  // A network's file system locks what is open for writing.
  const int how = is_folder ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT;
  const int fd = ::open(path.c_str(), how | O_CLOEXEC, 0644);
  if (fd < 0) return errno;
  int failed = 0;
  do {
    failed = ::flock(fd, (kind == Kind::alone ? LOCK_EX : LOCK_SH) | (waits ? 0 : LOCK_NB));
  } while (failed != 0 && errno == EINTR);
  if (failed != 0) {
    const int number = errno;
    ::close(fd);
    return number;
  }
  *this = FileLock();
  fd_ = fd;
  return 0;
}

}  // namespace ridge::app
