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
  /// Distinct lines of 128 bytes.
  int lines() const;
};
Sectors sectors_of(std::span<const uint64_t> addresses, uint32_t bytes);

/// Passes through 32 banks of 4 bytes. `addresses`: of 32 lanes, those in `mask` asking. Lanes that ask for the same word
/// are served together. 8 bytes are asked for by half warps and 16 by quarters, two of which go together where no bank
/// is asked for two words. `needed`: the passes without any conflict.
int wavefronts_of(std::span<const uint64_t> addresses, uint32_t mask, uint32_t bytes, int* needed);

/// A request of a warp that is watched, its place and addresses as the program has them.
struct LoggedRequest {
  Site site = nullptr;
  uint32_t lane_bytes = 0;
  AccessKind kind = AccessKind::read;
  bool is_shared = false;
  uint32_t mask = 0;                  ///< lanes that ask
  std::array<uint64_t, kLanes> at{};  ///< of shared memory offsets
  int cost = 0, conflicts = 0;        ///< sectors, or wavefronts
  uint32_t order = 0;  ///< accesses of its first lane before it, since the lanes last met
};

/// What one warp asked for: the first requests, and how many there were.
struct RequestLog {
  int64_t made = 0;
  std::vector<LoggedRequest> requests;
};

/// Passes through an L1: its data lies in the same banks as shared memory, and it looks up four lines at once. Measured on
/// an H200, tests/l1_passes_h200.csv. `lines`: distinct ones.
int l1_passes_of(std::span<const uint64_t> addresses, uint32_t mask, uint32_t bytes, int lines);

/// The accesses of one warp since its lanes last met.
class Requests {
 public:
  /// From now on meet() adds what it counts to `log`, too; null: no longer.
  void watch(RequestLog* log) { log_ = log; }
  /// `address`: of shared memory an offset. False: this lane is far ahead, and should wait for the others.
  bool add(int lane, Site site, uint64_t address, uint32_t bytes, AccessKind kind, bool is_shared);
  /// The lanes have met: what was collected is counted, and led through the caches.
  void meet(SectorCache* l1, SharedCache* l2, std::unordered_map<Site, SiteCounts>* counts);

 private:
  struct Request {
    std::array<uint64_t, kLanes> at;
    uint32_t mask = 0;
    uint32_t order = 0;  ///< as LoggedRequest has it; of a warp that is watched
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
  static MemoryTraffic traffic_of(const Place& place, const Request& request, SectorCache* l1,
                                  SharedCache* l2);
  void keep_first(std::vector<LoggedRequest> met);

  std::vector<Place> places_;
  std::unordered_map<Site, std::vector<uint32_t>>
      index_;  ///< by site; of one site there may be two widths or memories
  std::array<uint32_t, 256>
      recent_{};  ///< one more than the place's number, by a few bits of the site
  RequestLog* log_ = nullptr;
  std::array<uint32_t, kLanes>
      made_{};  ///< accesses of each lane since they last met, where they are watched
};

}  // namespace ridge::emulated
