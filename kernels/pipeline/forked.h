// A worker in a process of its own: forked, so that it has the file set and the buffers already, and
// asked through a socket. It writes into the batch, which lies in shared memory; only numbers cross.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "kernels/pipeline/images.h"

namespace ridge::pipeline {

class ForkedLoader {
 public:
  /// Forks now: call it before there are threads that might hold a lock.
  ForkedLoader(const Geometry& geometry, ImageSource* source);
  ~ForkedLoader();
  ForkedLoader(const ForkedLoader&) = delete;
  ForkedLoader& operator=(const ForkedLoader&) = delete;
  /// As ImageLoader::load(), done by the process. `alive` false: it has ended, and why.
  bool load(const Batch& batch, int i, LoadTimes* times, std::string* why, bool* alive);
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int socket_ = -1;
};

/// Memory that forked processes share, zeroed; null where there is none. Unmapped by its deleter.
struct Unmap {
  size_t bytes = 0;
  void operator()(std::byte* memory) const;
};
using SharedMemory = std::unique_ptr<std::byte, Unmap>;
SharedMemory shared_memory(size_t bytes);

}  // namespace ridge::pipeline
