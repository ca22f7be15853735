#include "worker/emulated/requests.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ridge::emulated {
namespace {

constexpr int kBanks = 32;
constexpr int kLookups = 4;  // of lines, that an L1 makes at once
constexpr uint64_t kWord = 4;

/// The most distinct words that one bank is asked for, by the lanes of `mask`.
int passes_of(std::span<const uint64_t> addresses, uint32_t mask, uint32_t bytes) {
  std::array<std::array<uint64_t, kLanes * 4>, kBanks> words;
  std::array<int, kBanks> count{};
  int most = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint64_t at = addresses[static_cast<size_t>(std::countr_zero(left))];
    for (uint64_t word = at / kWord; word <= (at + bytes - 1) / kWord; ++word) {
      const size_t bank = word % kBanks;
      const auto end = words[bank].begin() + count[bank];
      if (std::find(words[bank].begin(), end, word) != end) continue;
      words[bank][static_cast<size_t>(count[bank]++)] = word;
      most = std::max(most, count[bank]);
    }
  }
  return most;
}

/// What a request to device memory costs behind the SM: sectors that go on to L2, and from there to DRAM.
void lead_through(const Sectors& sectors, AccessKind kind, SectorCache* l1, SharedCache* l2,
                  MemoryTraffic* traffic) {
  for (size_t i = 0; i < sectors.count; ++i) {
    const uint64_t sector = sectors.at[i];
    if (kind == AccessKind::read && l1->read(sector)) continue;
    ++traffic->l2_sectors;
    const bool is_here = kind == AccessKind::write || l2->read(sector);
    const bool is_written = kind == AccessKind::read || l2->write(sector);
    traffic->dram_sectors += (is_here ? 0 : 1) + (is_written ? 0 : 1);
  }
}

MemoryTraffic& part_of(SiteCounts& site, AccessKind kind, bool is_shared) {
  if (kind == AccessKind::read) return is_shared ? site.shared_reads : site.global_reads;
  if (kind == AccessKind::write) return is_shared ? site.shared_writes : site.global_writes;
  return is_shared ? site.shared_atomics : site.global_atomics;
}

}  // namespace

int Sectors::lines() const {
  std::array<uint64_t, kLanes * 4> found;
  size_t lines = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t line = at[i] / (kLineBytes / kSectorBytes);
    if (lines > 0 && found[lines - 1] == line) continue;
    const auto end = found.begin() + static_cast<ptrdiff_t>(lines);
    if (std::find(found.begin(), end, line) == end) found[lines++] = line;
  }
  return static_cast<int>(lines);
}

Sectors sectors_of(std::span<const uint64_t> addresses, uint32_t bytes) {
  Sectors sectors;
  for (const uint64_t at : addresses) {
    for (uint64_t sector = at / kSectorBytes; sector <= (at + bytes - 1) / kSectorBytes; ++sector) {
      // Neighbours are likely to share the last one.
      if (sectors.count > 0 && sectors.at[sectors.count - 1] == sector) continue;
      const auto end = sectors.at.begin() + static_cast<ptrdiff_t>(sectors.count);
      const bool is_full = sectors.count == sectors.at.size();
      if (std::find(sectors.at.begin(), end, sector) != end || is_full) continue;
      sectors.at[sectors.count++] = sector;
    }
  }
  return sectors;
}

int wavefronts_of(std::span<const uint64_t> addresses, uint32_t mask, uint32_t bytes, int* needed) {
  *needed = 0;
  if (bytes <= kWord) {
    *needed = mask != 0 ? 1 : 0;
    return passes_of(addresses, mask, bytes);
  }
  int all = 0;
  const int group = bytes <= 8 ? 16 : 8;  // lanes that are served at once
  for (int first = 0; first < kLanes; first += 2 * group) {
    const uint32_t lanes = (1u << group) - 1;
    const uint32_t low = mask & lanes << first, high = mask & lanes << (first + group);
    if ((low | high) == 0) continue;
    if (passes_of(addresses, low | high, bytes) == 1) {
      ++*needed;
      ++all;
      continue;
    }
    *needed += (low != 0 ? 1 : 0) + (high != 0 ? 1 : 0);
    all += passes_of(addresses, low, bytes) + passes_of(addresses, high, bytes);
  }
  return all;
}

int l1_passes_of(std::span<const uint64_t> addresses, uint32_t mask, uint32_t bytes, int lines) {
  int needed = 0;
  return std::max(wavefronts_of(addresses, mask, bytes, &needed),
                  (lines + kLookups - 1) / kLookups);
}

Requests::Place& Requests::place_of(Site site, uint32_t bytes, AccessKind kind, bool is_shared) {
  const auto fits = [&](const Place& place) {
    return place.site == site && place.bytes == bytes && place.is_shared == is_shared &&
           place.kind == kind;
  };
  uint32_t& recent = recent_[reinterpret_cast<uintptr_t>(site) / 2 % recent_.size()];
  if (recent > 0 && fits(places_[recent - 1])) return places_[recent - 1];
  std::vector<uint32_t>& here = index_[site];
  for (const uint32_t i : here) {
    recent = i + 1;
    if (fits(places_[i])) return places_[i];
  }
  here.push_back(static_cast<uint32_t>(places_.size()));
  recent = here.back() + 1;
  Place& made = places_.emplace_back();
  made.site = site;
  made.bytes = bytes;
  made.kind = kind;
  made.is_shared = is_shared;
  return made;
}

bool Requests::add(int lane, Site site, uint64_t address, uint32_t bytes, AccessKind kind,
                   bool is_shared) {
  Place& place = place_of(site, bytes, kind, is_shared);
  const size_t k = place.made[static_cast<size_t>(lane)]++;
  if (k >= place.requests.size()) place.requests.resize(std::max<size_t>(4, k * 2));
  Request& request = place.requests[k];
  if (log_ != nullptr) {
    const uint32_t before = made_[static_cast<size_t>(lane)]++;
    if (request.mask == 0) request.order = before;
  }
  request.at[static_cast<size_t>(lane)] = address;
  request.mask |= 1u << lane;
  place.used = std::max(place.used, k + 1);
  return k + 1 < kMostAhead;
}

/// What one request comes to.
MemoryTraffic Requests::traffic_of(const Place& place, const Request& request, SectorCache* l1,
                                   SharedCache* l2) {
  const int lanes = std::popcount(request.mask);
  MemoryTraffic one{.requests = 1, .lanes = lanes, .bytes = int64_t{lanes} * place.bytes};
  if (place.is_shared) {
    int needed = 0;
    one.wavefronts = wavefronts_of(request.at, request.mask, place.bytes, &needed);
    one.conflicts = one.wavefronts - needed;
    return one;
  }
  std::array<uint64_t, kLanes> asked;
  size_t count = 0;
  for (uint32_t left = request.mask; left != 0; left &= left - 1)
    asked[count++] = request.at[static_cast<size_t>(std::countr_zero(left))];
  const Sectors sectors = sectors_of(std::span(asked).first(count), place.bytes);
  one.sectors = static_cast<int64_t>(sectors.count);
  one.l1_passes = l1_passes_of(request.at, request.mask, place.bytes, sectors.lines());
  lead_through(sectors, place.kind, l1, l2, &one);
  return one;
}

/// Lanes run one after the other, so that places are met one by one: their requests are put back into the order in which
/// the lanes made them.
void Requests::keep_first(std::vector<LoggedRequest> met) {
  std::stable_sort(met.begin(), met.end(),
                   [](const LoggedRequest& one, const LoggedRequest& other) {
                     return std::pair(one.order, std::countr_zero(one.mask)) <
                            std::pair(other.order, std::countr_zero(other.mask));
                   });
  log_->made += std::ssize(met);
  for (const LoggedRequest& one : met) {
    if (log_->requests.size() < kMostWarpRequests) log_->requests.push_back(one);
  }
}

void Requests::meet(SectorCache* l1, SharedCache* l2,
                    std::unordered_map<Site, SiteCounts>* counts) {
  std::vector<LoggedRequest> met;
  for (Place& place : places_) {
    if (place.used == 0) continue;
    MemoryTraffic& traffic = part_of((*counts)[place.site], place.kind, place.is_shared);
    for (size_t k = 0; k < place.used; ++k) {
      Request& request = place.requests[k];
      const MemoryTraffic one = traffic_of(place, request, l1, l2);
      traffic.add(one);
      if (log_ != nullptr) {
        const int64_t cost = place.is_shared ? one.wavefronts : one.sectors;
        met.push_back({place.site, place.bytes, place.kind, place.is_shared, request.mask,
                       request.at, static_cast<int>(cost), static_cast<int>(one.conflicts),
                       request.order});
      }
      request.mask = 0;
    }
    place.made = {};
    place.used = 0;
  }
  if (log_ == nullptr) return;
  keep_first(std::move(met));
  made_ = {};
}

}  // namespace ridge::emulated
