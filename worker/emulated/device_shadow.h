// A buffer of device memory as one launch after the other used it: who wrote and who read each word last. Two accesses by
// two threads to the same bytes, one of them a write, are a race unless something orders them; between blocks of a launch
// nothing does but an atomic operation, or a fence before one. Two plain writes of the same value do no harm.
//
// Blocks run on several cores at once, so each access is one step under a lock of its word.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "worker/emulated/counts.h"
#include "worker/emulated/device/machine.h"

namespace ridge::emulated {

/// An access to device memory: which thread, where in the program, and when.
struct DeviceUse {
  Site site = nullptr;
  int64_t block = 0;   ///< counted on through all launches of the process
  uint32_t epoch = 0;  ///< barriers before it, counted on through all blocks of a core
  uint32_t time = 0;   ///< warp synchronisations of its warp before it
  uint16_t thread = 0;
  uint8_t bytes = 0;  ///< of the word, a bit each; 0: no access
  bool is_atomic = false;
};

class DeviceShadow {
 public:
  /// What an access asks of its core: whether `before` is over for it, and what it does with a race.
  struct Judge {
    std::function<bool(const DeviceUse& before)> is_ordered;
    std::function<void(const DeviceUse& before, bool before_writes, uintptr_t at)> found;
  };

  /// Of the `bytes` from `begin`, which lie there as long as this does.
  DeviceShadow(uintptr_t begin, size_t bytes);

  void read(uintptr_t at, uint32_t bytes, DeviceUse use, const Judge& judge);
  /// Of a plain write after it was made: the value is in memory.
  void written(uintptr_t at, uint32_t bytes, DeviceUse use, const Judge& judge);

 private:
  struct Word {
    DeviceUse write, read, other_read;  ///< the last ones; other_read: of another thread than read
    uint32_t value = 0;                 ///< what `write` left here
  };
  struct Free {
    void operator()(Word* words) const;
  };
  template <class Do>
  void each_word(uintptr_t at, uint32_t bytes, DeviceUse use, Do act);
  uint32_t value_of(size_t word) const;

  uintptr_t begin_;
  size_t bytes_;
  std::unique_ptr<Word[], Free> words_;  ///< zeros until touched: an unused page costs nothing
};

}  // namespace ridge::emulated
