// A lock on a file or a folder that other processes of this program respect, on the same file system (flock). It ends with
// this object, or with this process, however that ends.
#pragma once

#include <string>
#include <utility>

namespace ridge::app {

class FileLock {
 public:
  enum class Kind { alone, shared };

  FileLock() = default;
  FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileLock();

  /// A folder, or a file, which is made where there is none. `waits`: until the lock is free. Returns 0, or errno:
  /// EWOULDBLOCK where another has it.
  int take(const std::string& path, Kind kind, bool waits);
  bool is_held() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace ridge::app
