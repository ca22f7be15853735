#include "worker/emulated/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ridge::emulated {
namespace {

constexpr size_t kAlignment = 256;  // as cudaMalloc's
constexpr size_t kMostBytes = size_t{1}
                              << 32;  // a learner's gigabytes are refused as a GPU's would be
constexpr uintptr_t kNear = uintptr_t{1} << 20;

bool is_before(const Range& range, uintptr_t at) {
  return range.end <= at;
}

}  // namespace

Memory::~Memory() {
  for (const Range& range : ranges_) {
    if (range.is_owned) std::free(reinterpret_cast<void*>(range.begin));
  }
}

void Memory::add(const void* at, size_t bytes, std::string name, bool is_constant) {
  const auto begin = reinterpret_cast<uintptr_t>(at);
  const auto place = std::lower_bound(ranges_.begin(), ranges_.end(), begin, is_before);
  ranges_.insert(place, {begin, begin + bytes, std::move(name), false, is_constant});
}

void* Memory::allocate(size_t bytes) {
  const size_t whole = (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = bytes <= kMostBytes ? std::aligned_alloc(kAlignment, whole) : nullptr;
  if (memory == nullptr) return nullptr;
  std::memset(memory, 0xff, whole);  // NaNs: what a kernel reads before it is written shows
  add(memory, bytes, "cudaMalloc of " + std::to_string(bytes) + " bytes");
  for (Range& range : ranges_) range.is_owned |= range.begin == reinterpret_cast<uintptr_t>(memory);
  return memory;
}

void Memory::release(void* memory) {
  const auto at = reinterpret_cast<uintptr_t>(memory);
  const auto found = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return range.is_owned && range.begin == at;
  });
  if (found == ranges_.end()) return;
  ranges_.erase(found);
  std::free(memory);
}

const Range* Memory::find(uintptr_t at) const {
  const auto found = std::lower_bound(ranges_.begin(), ranges_.end(), at, is_before);
  return found != ranges_.end() && found->begin <= at ? &*found : nullptr;
}

std::string Memory::nearest(uintptr_t at) const {
  std::string text = "at an address that is in no buffer";
  uintptr_t distance = kNear;
  for (const Range& range : ranges_) {
    if (range.is_constant) continue;
    if (at >= range.end && at - range.end < distance) {
      distance = at - range.end;
      text = std::to_string(distance) + " bytes behind the end of " + range.name;
    } else if (at < range.begin && range.begin - at < distance) {
      distance = range.begin - at;
      text = std::to_string(distance) + " bytes before the begin of " + range.name;
    }
  }
  return text;
}

void Memory::forget_buffers() {
  std::erase_if(ranges_, [](const Range& range) { return !range.is_owned && !range.is_constant; });
}

}  // namespace ridge::emulated
