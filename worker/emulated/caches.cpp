#include "worker/emulated/caches.h"

#include <algorithm>

namespace ridge::emulated {
namespace {

constexpr size_t kWays = 16;

/// Fibonacci hashing: the upper bits of a product with 2^64 over the golden ratio.
size_t set_of(uint64_t line, size_t sets) {
  return static_cast<size_t>((line * 0x9e3779b97f4a7c15u) >> 40) % sets;
}

uint8_t bit_of(uint64_t sector) {
  return static_cast<uint8_t>(1u << sector % (kLineBytes / kSectorBytes));
}

}  // namespace

SectorCache::SectorCache(size_t bytes)
    : lines_(bytes / kLineBytes), sets_(bytes / kLineBytes / kWays) {}

SectorCache::Line& SectorCache::line_of(uint64_t sector) {
  const uint64_t number = sector / (kLineBytes / kSectorBytes);
  const auto first = lines_.begin() + static_cast<ptrdiff_t>(set_of(number, sets_) * kWays);
  const auto end = first + kWays;
  auto line = std::find_if(first, end, [&](const Line& one) { return one.number == number; });
  if (line == end) {
    line = std::min_element(
        first, end, [](const Line& one, const Line& other) { return one.used < other.used; });
    *line = {.number = number};
  }
  line->used = ++time_;
  return *line;
}

bool SectorCache::read(uint64_t sector) {
  Line& line = line_of(sector);
  const bool is_here = (line.here & bit_of(sector)) != 0;
  line.here |= bit_of(sector);
  return is_here;
}

bool SectorCache::write(uint64_t sector) {
  Line& line = line_of(sector);
  const bool is_written = (line.written & bit_of(sector)) != 0;
  line.here |= bit_of(sector);
  line.written |= bit_of(sector);
  return is_written;
}

void SectorCache::clear() {
  std::fill(lines_.begin(), lines_.end(), Line{});
}

}  // namespace ridge::emulated
