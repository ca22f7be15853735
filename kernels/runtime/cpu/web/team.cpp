// A thread of a page is a Web Worker, and starting one takes longer than most calls. So those that were started stay, and sleep
// between calls as OpenMP's do on a desktop.
#include "kernels/runtime/cpu/team.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace ridge {
namespace {

class Crew {
 public:
  void run(int threads, void (*part)(void*, int), void* context) {
    {
      const std::lock_guard lock(mutex_);
      part_ = part;
      context_ = context;
      threads_ = threads;
      at_work_ = threads - 1;
      for (; members_ < threads - 1; ++members_) start(members_ + 1, round_);
      ++round_;
    }
    begun_.notify_all();
    part(context, 0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return at_work_ == 0; });
  }

 private:
  void start(int index, uint64_t seen) {
    std::thread([this, index, seen] { serve(index, seen); }).detach();
  }
  [[noreturn]] void serve(int index, uint64_t seen) {
    for (std::unique_lock lock(mutex_);; seen = round_) {
      begun_.wait(lock, [&] { return round_ != seen; });
      if (index >= threads_) continue;
      lock.unlock();
      part_(context_, index);
      lock.lock();
      if (--at_work_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable begun_, done_;
  int members_ = 0, threads_ = 0, at_work_ = 0;
  uint64_t round_ = 0;  ///< of calls
  void (*part_)(void*, int) = nullptr;
  void* context_ = nullptr;
};

}  // namespace

void team_run(int threads, void (*part)(void*, int), void* context) {
  static Crew& crew = *new Crew;  // its threads never end
  if (threads == 1) return part(context, 0);
  crew.run(threads, part, context);
}

}  // namespace ridge
