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

/// What lies beside a buffer's word is eighteen times as large as the word.
constexpr size_t kMostShadowed = size_t{16} << 20;

bool is_before(const Range& range, uintptr_t at) {
  return range.end <= at;
}

std::unique_ptr<DeviceShadow> shadow_of(const Range& range) {
  const size_t bytes = range.end - range.begin;
  return bytes <= kMostShadowed ? std::make_unique<DeviceShadow>(range.begin, bytes) : nullptr;
}

}  // namespace

Memory::~Memory() {
  for (const Range& range : ranges_) {
    if (range.is_owned) std::free(reinterpret_cast<void*>(range.begin));
  }
}

std::string Range::place(uintptr_t at) const {
  const auto offset = static_cast<int64_t>(at - begin);
  if (element_bytes == 0) return "byte " + std::to_string(offset) + " of " + name;
  // Down, also where the offset is negative: what begins within an element is in it.
  const auto element = static_cast<int64_t>(element_bytes);
  const int64_t index = offset >= 0 ? offset / element : -((element - 1 - offset) / element);
  return name + "[" + std::to_string(index) + "]";
}

Range& Memory::insert(const void* at, size_t bytes, std::string name) {
  const auto begin = reinterpret_cast<uintptr_t>(at);
  const auto place = std::lower_bound(ranges_.begin(), ranges_.end(), begin, is_before);
  Range range;
  range.begin = begin;
  range.end = begin + bytes;
  range.name = std::move(name);
  return *ranges_.insert(place, std::move(range));
}

void Memory::add(const void* at, size_t bytes, std::string name, uint32_t element_bytes) {
  Range& range = insert(at, bytes, std::move(name));
  range.element_bytes = element_bytes;
  range.shadow = shadow_of(range);
}

void Memory::add_constant(const void* at, size_t bytes, std::string name) {
  insert(at, bytes, std::move(name)).is_constant = true;
}

void* Memory::allocate(size_t bytes) {
  const size_t whole = (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = bytes <= kMostBytes ? std::aligned_alloc(kAlignment, whole) : nullptr;
  if (memory == nullptr) return nullptr;
  std::memset(memory, 0xff, whole);  // NaNs: what a kernel reads before it is written shows
  Range& range = insert(memory, bytes, "cudaMalloc of " + std::to_string(bytes) + " bytes");
  range.is_owned = true;
  range.shadow = shadow_of(range);
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
  const Range* nearest = nullptr;
  uintptr_t least = kNear;
  for (const Range& range : ranges_) {
    if (range.is_constant) continue;
    const uintptr_t distance = at >= range.end ? at - range.end : range.begin - at;
    if (distance >= least) continue;
    least = distance;
    nearest = &range;
  }
  if (nearest == nullptr) return "at an address that is in no buffer";
  if (nearest->element_bytes == 0)
    return std::to_string(least) + " bytes " +
           (at >= nearest->end ? "behind the end of " : "before the begin of ") + nearest->name;
  const uintptr_t elements = (nearest->end - nearest->begin) / nearest->element_bytes;
  return nearest->place(at) + ": " + nearest->name + " has " + std::to_string(elements) +
         (elements == 1 ? " element" : " elements");
}

void Memory::forget_buffers() {
  std::erase_if(ranges_, [](const Range& range) { return !range.is_owned && !range.is_constant; });
}

}  // namespace ridge::emulated
