// A block's shared memory as it was used: who wrote and who read each word since which barrier. Two accesses by two
// threads to the same bytes, one of them a write, are a race unless a barrier of the block, or a __syncwarp() that both
// take part in, lies between.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "worker/emulated/counts.h"
#include "worker/emulated/device/machine.h"

namespace ridge::emulated {

/// An access to shared memory: which thread, where in the program, and when.
struct Use {
  Site site = nullptr;
  uint32_t epoch = 0;  ///< barriers before it, counted on through all blocks of a core; 0: none
  uint32_t time = 0;   ///< warp synchronisations of its warp before it
  uint16_t thread = 0;
  uint8_t bytes = 0;  ///< of the word, a bit each
  bool is_atomic = false;
};

class Shadow {
 public:
  /// Whether a __syncwarp() lies between `before` and the moment, for these two threads.
  using Ordered = std::function<bool(const Use& before, uint16_t thread)>;
  /// Both accesses, the earlier first; an unwritten word has an empty earlier one.
  using Found = std::function<void(FaultKind kind, const Use& before, const Use& use,
                                   bool before_writes, bool writes)>;

  Shadow(Ordered ordered, Found found) : ordered_(std::move(ordered)), found_(std::move(found)) {}

  /// Nothing is written yet.
  void begin_block(uint32_t epoch) { block_epoch_ = epoch; }
  void use(uint64_t offset, uint32_t bytes, AccessKind kind, Use use);
  /// Whoever uses these bytes is wrong.
  void forbid(uint64_t offset, uint32_t bytes);
  bool is_forbidden(uint64_t offset, uint32_t bytes) const;
  void allow_all();

 private:
  struct Word {
    Use write, read, other_read;  ///< the last ones; other_read: of another thread than read
    uint32_t written_epoch = 0;   ///< the block that `written` is about
    uint8_t written = 0;          ///< bytes
    bool is_forbidden = false;
  };
  void use_word(Word* word, AccessKind kind, const Use& use);
  bool races(const Use& before, const Use& use) const;

  Ordered ordered_;
  Found found_;
  std::vector<Word> words_;
  uint32_t block_epoch_ = 1;
  std::vector<uint64_t> forbidden_;  ///< words
};

}  // namespace ridge::emulated
