#include "worker/emulated/shadow.h"

#include <algorithm>

namespace ridge::emulated {

bool Shadow::races(const Use& before, const Use& use) const {
  return before.epoch == use.epoch && before.thread != use.thread &&
         (before.bytes & use.bytes) != 0 && !(before.is_atomic && use.is_atomic) &&
         !ordered_(before, use.thread);
}

void Shadow::use_word(Word* word, AccessKind kind, const Use& use) {
  const bool writes = kind != AccessKind::read;
  if (word->written_epoch != block_epoch_) {
    word->written_epoch = block_epoch_;
    word->written = 0;
  }
  if (kind != AccessKind::write && (word->written & use.bytes) != use.bytes)
    found_(FaultKind::unwritten, {}, use, false, writes);
  if (races(word->write, use)) found_(FaultKind::race, word->write, use, true, writes);
  if (!writes) {
    if (word->read.epoch == use.epoch && word->read.thread != use.thread)
      word->other_read = word->read;
    word->read = use;
    return;
  }
  const Use& reader = word->read.thread != use.thread ? word->read : word->other_read;
  if (races(reader, use)) found_(FaultKind::race, reader, use, false, true);
  word->write = use;
  word->written = static_cast<uint8_t>(word->written | use.bytes);
}

void Shadow::forbid(uint64_t offset, uint32_t bytes) {
  const uint64_t end = (offset + bytes) / 4;  // a word that an array has a part of is not
  if (end > words_.size()) words_.resize(end);
  for (uint64_t word = (offset + 3) / 4; word < end; ++word) {
    words_[word].is_forbidden = true;
    forbidden_.push_back(word);
  }
}

void Shadow::allow_all() {
  for (const uint64_t word : forbidden_) words_[word].is_forbidden = false;
  forbidden_.clear();
}

bool Shadow::is_forbidden(uint64_t offset, uint32_t bytes) const {
  for (uint64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word)
    if (word < words_.size() && words_[word].is_forbidden) return true;
  return false;
}

void Shadow::use(uint64_t offset, uint32_t bytes, AccessKind kind, Use use) {
  const uint64_t first = offset / 4, last = (offset + bytes - 1) / 4;
  if (last >= words_.size()) words_.resize(last + 1);
  use.is_atomic = kind == AccessKind::atomic;
  for (uint64_t word = first; word <= last; ++word) {
    const uint64_t begin = std::max(offset, word * 4), end = std::min(offset + bytes, word * 4 + 4);
    use.bytes = static_cast<uint8_t>(((1u << (end - begin)) - 1) << (begin - word * 4));
    use_word(&words_[word], kind, use);
  }
}

}  // namespace ridge::emulated
