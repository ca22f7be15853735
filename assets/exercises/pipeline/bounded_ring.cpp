// ridge: flags=-O3
//
// Exercise  A ring of four buffers
// Level     3
// After     copy.cpu.streamed
// Task      A loader fills buffers on a thread of its own, the step empties
//           them: what prefetching is, with a copy in place of decoding. Four
//           buffers go round. Write who waits for whom: without it the step
//           reads what is not there yet, and the loader overwrites what was not
//           read.
// Hint      Block b may be filled once block b - 4, which had its buffer
//           before, was emptied.
// Hint      Block b may be emptied once filled > b.
// Hint      changed.wait(lock, condition) gives the lock back while it waits
//           and looks at the condition whenever somebody calls
//           changed.notify_all().
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include "kernels/runtime/problems/rows.h"

namespace ridge {
namespace {

constexpr int64_t kBlock = 4096, kBuffers = 4;  // floats in a buffer; buffers in the ring

struct Ring {
  float buffer[kBuffers][kBlock] = {};
  int64_t filled = 0, emptied = 0;  // blocks so far, in order
  std::mutex mutex;
  std::condition_variable changed;

  void wait_for_room(int64_t b) {
    std::unique_lock lock(mutex);
    // solution: until the buffer of block b is free
    changed.wait(lock, [&] { return b < emptied + kBuffers; });
    // end of solution
    (void)b;
  }
  void wait_for_block(int64_t b) {
    std::unique_lock lock(mutex);
    // solution: until block b is there
    changed.wait(lock, [&] { return b < filled; });
    // end of solution
    (void)b;
  }
  void count(int64_t* blocks) {
    const std::lock_guard lock(mutex);
    ++*blocks;
    changed.notify_all();
  }
};

Status launch_bounded_ring(const Launch& launch) {
  const Rows r = rows_of(launch);
  const int64_t all = r.m * r.n, blocks = (all + kBlock - 1) / kBlock;
  const auto bytes = [&](int64_t b) {
    return sizeof(float) * (size_t)(all - b * kBlock < kBlock ? all - b * kBlock : kBlock);
  };
  const auto ring = std::make_unique<Ring>();
  std::thread loader([&] {
    for (int64_t b = 0; b < blocks; ++b) {
      ring->wait_for_room(b);
      memcpy(ring->buffer[b % kBuffers], r.x + b * kBlock, bytes(b));
      ring->count(&ring->filled);
    }
  });
  for (int64_t b = 0; b < blocks; ++b) {
    ring->wait_for_block(b);
    memcpy(r.y + b * kBlock, ring->buffer[b % kBuffers], bytes(b));
    ring->count(&ring->emptied);
  }
  loader.join();
  return {};
}

RIDGE_KERNEL(copy, cpu, bounded_ring, .launch = launch_bounded_ring);

}  // namespace
}  // namespace ridge
