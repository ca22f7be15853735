// Facts about this machine that the harness needs, read from /proc and /sys. A fact that cannot be
// read is 0 or an empty text, never a guess.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge::measure {

CpuInfo read_cpu();
/// What the file `cpuinfo` (/proc/cpuinfo) calls the CPU. On aarch64 the kernel knows numbers alone: "CPU of implementer 0x41,
/// part 0xd0c". Empty: it says nothing.
std::string cpu_model(const std::string& cpuinfo);
/// "Debian GNU/Linux 12 (bookworm)".
std::string read_os();
/// "mains", "battery", "" unknown.
std::string read_power_source();
/// Largest cache of the first CPU, in bytes; 0 unknown.
int64_t last_level_cache_bytes();
/// What a process may still allocate: the least of the kernel's estimate and the control group's.
int64_t free_memory_bytes();

/// Where /proc and /sys are: RIDGE_SYSTEM_ROOT of the environment (tests point it at a folder of
/// their own), else "".
std::string system_root();
/// Busy and stolen CPU seconds since boot from `root`/proc/stat: of the whole machine, then of each
/// logical core. It counts in ticks of 10 ms. Empty where it cannot be read.
std::vector<double> cpu_busy_s(const std::string& root);
/// CPU seconds of this process and of the peers it started.
double own_cpu_s();

/// "32768K", "1M", "512" in bytes; 0 if it is no number ("max").
inline int64_t parse_bytes(const std::string& text) {
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (end == text.c_str() || value < 0) return 0;
  const int64_t unit = *end == 'K' ? 1024 : *end == 'M' ? 1024 * 1024 : 1;
  return value * unit;
}
/// First line of a small file; empty if it cannot be read.
std::string read_line_of(const std::string& path);

/// How much processor time others took between start() and stop(), in CPU seconds a second: all
/// busy and stolen time of the machine less this process's own and its peers'. /proc/stat counts in ticks of
/// 10 ms, so a window should last 0.2 s or more.
class ForeignLoad {
 public:
  ForeignLoad() { start(); }
  void start();
  /// CPUs' worth of foreign work since start(); negative where /proc/stat cannot be read.
  double cpus() const;
  /// Since start().
  double window_s() const;

 private:
  double wall_s_ = 0, busy_s_ = 0, own_s_ = 0;
};

}  // namespace ridge::measure
