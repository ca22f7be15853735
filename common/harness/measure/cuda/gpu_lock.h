// The advisory lock that keeps two workers from timing on one GPU at once, so that a class can share
// a server. Held for one timed block (about 100 ms), so a wait is short; other programs are not
// bound by it, which is what the quiet check is for.
#pragma once

#include <string>

namespace ridge::measure {

/// Opened once per device: flock() on /tmp/ridgepoint-gpu-<uuid>.lock. Where that file cannot be
/// opened, every hold is free.
class GpuLock {
 public:
  explicit GpuLock(const std::string& gpu_uuid);
  ~GpuLock();
  GpuLock(const GpuLock&) = delete;
  GpuLock& operator=(const GpuLock&) = delete;

  /// Waits for its turn; lets go at the end of the scope.
  class Hold {
   public:
    explicit Hold(const GpuLock& lock);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    int file_;
  };

 private:
  int file_ = -1;
};

}  // namespace ridge::measure
