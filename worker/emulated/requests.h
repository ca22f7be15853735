// From single accesses to a warp's requests, and what a request costs. Lanes run one after the other; the k-th access of
// each at one place is taken for one request, as long as no point where they meet lies between.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "worker/emulated/caches.h"
#include "worker/emulated/counts.h"
#include "worker/emulated/device/machine.h"

namespace ridge::emulated {

constexpr int kLanes = 32;
constexpr size_t kMostAhead =
    512;  ///< accesses at one place that a lane makes before the others come

/// Distinct 32-byte sectors that accesses of `bytes` at these addresses touch, in the order touched: addresses over 32.
struct Sectors {
  std::array<uint64_t, kLanes * 4> at;
  size_t count = 0;
  /// Distinct lines of 128 bytes: how often an L1 looks them up.
  int lines() const;
};
Sectors sectors_of(std::span<const uint64_t> addresses, uint32_t bytes);

/// Passes through 32 banks of 4 bytes. `addresses`: of 32 lanes, those in `mask` asking. Lanes that ask for the same word
/// are served together. 8 bytes are asked for by half warps and 16 by quarters, two of which go together where no bank
/// is asked for two words. `needed`: the passes without any conflict.
int wavefronts_of(std::span<const uint64_t> addresses, uint32_t mask, uint32_t bytes, int* needed);

/// The accesses of one warp since its lanes last met.
class Requests {
 public:
  /// `address`: of shared memory an offset. False: this lane is far ahead, and should wait for the others.
  bool add(int lane, Site site, uint64_t address, uint32_t bytes, AccessKind kind, bool is_shared);
  /// The lanes have met: what was collected is counted, and led through the caches.
  void meet(SectorCache* l1, SharedCache* l2, std::unordered_map<Site, SiteCounts>* counts);

 private:
  struct Request {
    std::array<uint64_t, kLanes> at;
    uint32_t mask = 0;
  };
  struct Place {
    Site site = nullptr;
    uint32_t bytes = 0;
    AccessKind kind = AccessKind::read;
    bool is_shared = false;
    std::array<uint32_t, kLanes> made{};  ///< accesses of each lane
    std::vector<Request> requests;
    size_t used = 0;
  };
  Place& place_of(Site site, uint32_t bytes, AccessKind kind, bool is_shared);

  std::vector<Place> places_;
  std::unordered_map<Site, std::vector<uint32_t>>
      index_;  ///< by site; of one site there may be two widths or memories
  std::array<uint32_t, 256>
      recent_{};  ///< one more than the place's number, by a few bits of the site
};

}  // namespace ridge::emulated
