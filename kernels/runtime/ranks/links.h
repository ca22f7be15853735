// What ranks share memory for: signals, and links whose delay and rate are made up.
//
// The model of a message of m bytes is the alpha-beta model with one port (Thakur, Rabenseifner and Gropp, Optimization
// of Collective Communication Operations in MPICH, IJHPCA 19, 2005): it keeps its sender's port busy for alpha + m beta,
// and its receiver's, at the same time where both are free. A rank has one port out and one in. Ports are counted on the
// clock that all processes share, so a message costs what copying it costs where that is more.
#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/runtime/ranks/rank.h"

namespace ridge::ranks {

/// A number that only grows, counted modulo 2^32, and that other processes wait for.
class Signal {
 public:
  uint32_t value() const { return value_.load(std::memory_order_acquire); }
  /// Raises it, wakes those who sleep, and returns its new value.
  uint32_t raise(uint32_t by = 1);
  /// Until it is `least` or more. Spins, yields, then sleeps, so that more ranks than cores get on.
  void wait_for(uint32_t least);
  /// Sleeps until it is `least` or more, `limit_ns` at most; whether it is.
  bool wait_at_most(uint32_t least, int64_t limit_ns);

 private:
  bool is_at(uint32_t least) const { return static_cast<int32_t>(value() - least) >= 0; }
  void sleep(uint32_t seen, int64_t limit_ns);
  std::atomic<uint32_t> value_ = 0, sleepers_ = 0;
};

/// From one rank to another: one message at a time.
struct alignas(64) Link {
  Signal sent, taken;  ///< messages so far
  // Of the message that was sent last:
  const float* data;
  int64_t count;
  double arrives_ns;  ///< at the earliest
  int64_t step;
};

/// How long a message keeps a port busy.
struct PortCost {
  double delay_ns = 0, ns_per_byte = 0;
  double of(int64_t count) const { return delay_ns + ns_per_byte * 4 * static_cast<double>(count); }
};

/// `rate_mb_s` 0: as fast as memory.
inline PortCost port_cost(int64_t delay_us, int64_t rate_mb_s) {
  return {1e3 * static_cast<double>(delay_us),
          rate_mb_s > 0 ? 1e3 / static_cast<double>(rate_mb_s) : 0};
}

double clock_ns();  ///< CLOCK_MONOTONIC: the same for all processes
/// Sleeps while there is time for it, then spins.
void wait_until(double ns);

}  // namespace ridge::ranks
