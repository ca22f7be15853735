#include "common/harness/measure/cuda/gpu_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace ridge::measure {

GpuLock::GpuLock(const std::string& gpu_uuid) {
  const std::string path = "/tmp/ridgepoint-gpu-" + gpu_uuid + ".lock";
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW;
  // Without O_CREAT first: with fs.protected_regular Linux refuses O_CREAT on another user's file in
  // a sticky folder. Reading rights are all that flock() needs.
  file_ = open(path.c_str(), kFlags);
  if (file_ < 0 && errno == ENOENT) {
    file_ = open(path.c_str(), kFlags | O_CREAT, 0644);
    if (file_ >= 0) fchmod(file_, 0644);  // whatever this user's umask: the next user must open it
  }
  if (file_ < 0) file_ = open(path.c_str(), kFlags);  // another worker made it in between
}

GpuLock::~GpuLock() {
  if (file_ >= 0) close(file_);
}

GpuLock::Hold::Hold(const GpuLock& lock) : file_(lock.file_) {
  while (file_ >= 0 && flock(file_, LOCK_EX) != 0) {
    if (errno != EINTR) file_ = -1;
  }
}

GpuLock::Hold::~Hold() {
  if (file_ >= 0) flock(file_, LOCK_UN);
}

}  // namespace ridge::measure
