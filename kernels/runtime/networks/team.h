// The threads of a training, for as long as it lasts. A step has a dozen places where they wait for each other,
// microseconds apart: they look for what they wait for a while before they sleep. (A region of OpenMP's, whose
// threads sleep between two, costs 30 us to wake: twenty of them were most of a step on 16 cores.)
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "common/core/cpu_pause.h"

namespace ridge::mixed {

class Team {
 public:
  explicit Team(int threads) : threads_(threads) {
    for (int i = 1; i < threads; ++i) others_.emplace_back([this, i] { serve(i); });
  }
  ~Team() {
    work_ = nullptr;
    begin();
    for (std::thread& other : others_) other.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// work(0) on the caller's thread, work(1) ... on the others', and waits.
  void run(const std::function<void(int)>& work) {
    work_ = &work;
    begin();
    work(0);
    barrier();
  }
  /// Called by all of them within run(): none goes on before all are here.
  void barrier() {
    if (threads_ == 1) return;
    const uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < threads_)
      return await(round_, round);
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    round_.notify_all();
  }

 private:
  using Count = std::atomic<uint32_t>;

  /// About 50 us; then other programs may have the core.
  static void await(const Count& count, uint32_t old) {
    for (int look = 0; look < 2000; ++look) {
      if (count.load(std::memory_order_acquire) != old) return;
      cpu_pause();
    }
    count.wait(old, std::memory_order_acquire);
  }
  void begin() {
    begun_.fetch_add(1, std::memory_order_release);
    begun_.notify_all();
  }
  void serve(int index) {
    for (uint32_t seen = 0;; ++seen) {
      await(begun_, seen);
      if (work_ == nullptr) return;
      (*work_)(index);
      barrier();
    }
  }

  int threads_;
  const std::function<void(int)>* work_ = nullptr;
  alignas(64) Count begun_ = 0;
  alignas(64) Count round_ = 0;
  alignas(64) std::atomic<int> arrived_ = 0;
  std::vector<std::thread> others_;
};

}  // namespace ridge::mixed
