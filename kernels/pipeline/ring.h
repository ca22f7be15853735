// What holds the stages together: a bounded queue of batches in order, and a gate between windows.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace ridge::pipeline {

/// `size` buffers in a ring: batch b lies in buffer b % size. Whoever fills it waits until the batch
/// before it there was released; whoever empties it waits until it is full. So the order of the
/// batches is kept whatever order they are filled in, and nobody runs ahead by more than `size`.
class Ring {
 public:
  explicit Ring(int size) : full_(static_cast<size_t>(size)) {}
  int size() const { return static_cast<int>(full_.size()); }
  int slot(int64_t batch) const { return static_cast<int>(batch % size()); }

  /// False: stopped.
  bool wait_free(int64_t batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || batch < released_ + size(); });
    return !stopped_;
  }
  void publish(int64_t batch) {
    const std::lock_guard lock(mutex_);
    full_[static_cast<size_t>(slot(batch))] = true;
    changed_.notify_all();
  }
  bool wait_full(int64_t batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || full_[static_cast<size_t>(slot(batch))]; });
    return !stopped_;
  }
  bool is_full(int64_t batch) {
    const std::lock_guard lock(mutex_);
    return full_[static_cast<size_t>(slot(batch))];
  }
  bool is_free(int64_t batch) {
    const std::lock_guard lock(mutex_);
    return batch < released_ + size();
  }
  /// Batches are released in order.
  void release(int64_t batch) {
    const std::lock_guard lock(mutex_);
    full_[static_cast<size_t>(slot(batch))] = false;
    released_ = batch + 1;
    changed_.notify_all();
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> full_;
  int64_t released_ = 0;
  bool stopped_ = false;
};

/// Open during a window. Closing waits until everybody who is inside has left: then nothing runs.
class Gate {
 public:
  /// Waits for the next window; false: stopped.
  bool enter() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_ || stopped_; });
    if (!stopped_) ++inside_;
    return !stopped_;
  }
  /// False: closed, or stopped.
  bool try_enter() {
    const std::lock_guard lock(mutex_);
    const bool enters = open_ && !stopped_;
    inside_ += enters ? 1 : 0;
    return enters;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    --inside_;
    if (!open_ && inside_ == 0) changed_.notify_all();
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void close() {
    std::unique_lock lock(mutex_);
    open_ = false;
    changed_.wait(lock, [&] { return inside_ == 0; });
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool open_ = false, stopped_ = false;
};

}  // namespace ridge::pipeline
