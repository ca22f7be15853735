// Others who use a machine's processor beside a worker, made up.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

#include "common/harness/measure/machine.h"
#include "tests/program.h"

namespace ridge::test {

/// A machine's /proc/stat as the worker reads it, on which others use two CPUs while `busy`, and the worker every other one.
/// By the clock: this thread comes late where the machine has much to do.
class OthersAtWork {
 public:
  explicit OthersAtWork(bool are_busy = true) : busy(are_busy) {
    std::filesystem::create_directory(folder.path / "proc");
    write_all(folder / "proc/meminfo", "MemAvailable:       3000000 kB\n");
    write();
    thread_ = std::thread([this] {
      while (!ended_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (busy) write();
      }
    });
  }
  ~OthersAtWork() {
    ended_ = true;
    thread_.join();
  }
  Folder folder;
  std::atomic<bool> busy;

 private:
  void write() {
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
    const auto ticks = int64_t(100 * since.count() * cpus_);  // a hundred a second are a CPU
    write_all(folder / "proc/next", "cpu " + std::to_string(ticks) + " 0 0 0 0 0 0 0 0 0\n");
    std::filesystem::rename(folder / "proc/next", folder / "proc/stat");
  }
  std::atomic<bool> ended_ = false;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const int cpus_ = 2 + measure::read_cpu().cores;
  std::thread thread_;
};

}  // namespace ridge::test
