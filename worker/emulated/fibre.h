// Fibres: stacks that a core goes through by turns, each where it left off. A switch saves what a call must preserve and
// nothing else: no system call, a few nanoseconds.
#pragma once

#include <cstddef>

namespace ridge::emulated {

/// Stacks beside each other in one reservation, with an unreadable page below each: what overflows one ends the process
/// instead of writing into a neighbour's. Pages cost memory once they are touched.
class Stacks {
 public:
  Stacks(size_t count, size_t bytes);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  char* begin(size_t i) const { return memory_ + i * bytes_; }
  size_t bytes() const { return bytes_; }
  bool holds(const void* at) const { return at >= memory_ && at < memory_ + count_ * bytes_; }

 private:
  char* memory_ = nullptr;
  size_t count_ = 0, bytes_ = 0;
};

/// Where a fibre, or the core itself, left off.
struct Context {
  void* stack = nullptr;
};

/// A context that calls start() once it is switched to; start() never returns.
Context new_context(char* stack, size_t bytes, void (*start)());

/// Leaves off in `from` and goes on in `to`.
void switch_context(Context* from, const Context& to);

}  // namespace ridge::emulated
