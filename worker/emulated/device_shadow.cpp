#include "worker/emulated/device_shadow.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace ridge::emulated {
namespace {

constexpr uint64_t kWord = 4;

/// One of a few for all words: neighbours share it, so that a wide access takes one.
class WordLock {
 public:
  explicit WordLock(size_t word) : lock_(locks_[word / 8 % locks_.size()]) {
    while (lock_.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~WordLock() { lock_.clear(std::memory_order_release); }
  WordLock(const WordLock&) = delete;
  WordLock& operator=(const WordLock&) = delete;

 private:
  static inline std::array<std::atomic_flag, 256> locks_;
  std::atomic_flag& lock_;
};

/// The bits of a word's bytes.
uint32_t bits_of(uint8_t bytes) {
  uint32_t bits = 0;
  for (int i = 0; i < 4; ++i) bits |= (bytes >> i & 1) != 0 ? 0xffu << (8 * i) : 0;
  return bits;
}

bool is_same_thread(const DeviceUse& one, const DeviceUse& other) {
  return one.block == other.block && one.thread == other.thread;
}

}  // namespace

void DeviceShadow::Free::operator()(Word* words) const {
  std::free(words);
}

// Zeros are words without an access, and calloc gives them without touching a page.
DeviceShadow::DeviceShadow(uintptr_t begin, size_t bytes)
    : begin_(begin),
      bytes_(bytes),
      words_(static_cast<Word*>(std::calloc((bytes + kWord - 1) / kWord, sizeof(Word)))) {}

uint32_t DeviceShadow::value_of(size_t word) const {
  uint32_t value = 0;
  const size_t offset = word * kWord;
  std::memcpy(&value, reinterpret_cast<const void*>(begin_ + offset),
              std::min<size_t>(kWord, bytes_ - offset));
  return value;
}

template <class Do>
void DeviceShadow::each_word(uintptr_t at, uint32_t bytes, DeviceUse use, Do act) {
  if (words_ == nullptr) return;
  const uint64_t begin = at - begin_, end = begin + bytes;
  for (uint64_t word = begin / kWord; word * kWord < end; ++word) {
    const uint64_t low = std::max(begin, word * kWord), high = std::min(end, (word + 1) * kWord);
    use.bytes = static_cast<uint8_t>(((1u << (high - low)) - 1) << (low - word * kWord));
    const WordLock lock(word);
    act(words_[word], word, use);
  }
}

void DeviceShadow::read(uintptr_t at, uint32_t bytes, DeviceUse use, const Judge& judge) {
  each_word(at, bytes, use, [&](Word& word, size_t i, const DeviceUse& one) {
    if ((word.write.bytes & one.bytes) != 0 && !judge.is_ordered(word.write))
      judge.found(word.write, true, begin_ + i * kWord);
    if (word.read.bytes != 0 && !is_same_thread(word.read, one)) word.other_read = word.read;
    word.read = one;
  });
}

void DeviceShadow::written(uintptr_t at, uint32_t bytes, DeviceUse use, const Judge& judge) {
  each_word(at, bytes, use, [&](Word& word, size_t i, const DeviceUse& one) {
    const uint32_t value = value_of(i);
    const auto common = static_cast<uint8_t>(word.write.bytes & one.bytes);
    const bool is_plain = !word.write.is_atomic && !one.is_atomic;
    const bool is_same = is_plain && ((value ^ word.value) & bits_of(common)) == 0;
    if (common != 0 && !is_same && !judge.is_ordered(word.write))
      judge.found(word.write, true, begin_ + i * kWord);
    for (const DeviceUse* reader : {&word.read, &word.other_read}) {
      if ((reader->bytes & one.bytes) != 0 && !judge.is_ordered(*reader))
        judge.found(*reader, false, begin_ + i * kWord);
    }
    word.write = one;
    word.value = value;
  });
}

}  // namespace ridge::emulated
