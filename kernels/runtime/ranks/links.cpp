#include "kernels/runtime/ranks/links.h"

#ifdef __linux__
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

namespace ridge::ranks {
namespace {

/// A word that another core writes is seen in less than 1 us. On a busy machine a yield gives a core away for
/// milliseconds, while who wakes up from a sleep gets one soon: so few of them, for ranks that share a core.
constexpr int kSpins = 100, kYields = 10;
/// A sleeper whose wake-up went missing looks again.
constexpr int64_t kLook_ns = 10'000'000;
/// By so much a sleep may be late, with the timer's slack that a rank sets: the rest is spun.
constexpr double kLate_ns = 15e3;

timespec timespec_of(int64_t ns) {
  return {.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
}

}  // namespace

uint32_t Signal::raise(uint32_t by) {
  const uint32_t now = value_.fetch_add(by) + by;  // in order with the look at the sleepers
  if (sleepers_.load() > 0) {
    ::syscall(SYS_futex, &value_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
  return now;
}

void Signal::sleep(uint32_t seen, int64_t limit_ns) {
  const timespec limit = timespec_of(limit_ns);
  sleepers_.fetch_add(1);
  ::syscall(SYS_futex, &value_, FUTEX_WAIT, seen, &limit, nullptr, 0);
  sleepers_.fetch_sub(1);
}

void Signal::wait_for(uint32_t least) {
  for (int look = 0; !is_at(least); ++look) {
    if (look < kSpins) continue;
    if (look < kSpins + kYields) {
      ::sched_yield();
    } else if (const uint32_t seen = value(); static_cast<int32_t>(seen - least) < 0) {
      sleep(seen, kLook_ns);
    }
  }
}

bool Signal::wait_at_most(uint32_t least, int64_t limit_ns) {
  if (const uint32_t seen = value(); !is_at(least)) sleep(seen, limit_ns);
  return is_at(least);
}

double clock_ns() {
  timespec t = {};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

void wait_until(double ns) {
  for (double left = ns - clock_ns(); left > 0; left = ns - clock_ns()) {
    if (left <= 2 * kLate_ns) continue;
    const timespec nap = timespec_of(static_cast<int64_t>(left - kLate_ns));
    ::nanosleep(&nap, nullptr);
  }
}

}  // namespace ridge::ranks
#endif
