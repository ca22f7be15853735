// What an emulated launch is counted by, place by place of the program: common/record/kernel_counts.h has it by line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/record/kernel_counts.h"

namespace ridge::emulated {

/// A place of the program: a return address in a loaded object.
using Site = const void*;
using Counts = std::map<Site, SiteCounts>;

/// Of one basic block: how warps left it.
struct BranchCounts {
  int64_t warps = 0;        ///< times that a warp did
  int64_t splits = 0;       ///< of them, those where its lanes went different ways
  Site next = nullptr;      ///< one of the blocks that came after it; null: a lane ended there
  bool is_two_way = false;  ///< another one came after it too: it ends with a branch

  void add(const BranchCounts& other) {
    is_two_way |= other.is_two_way || (warps > 0 && other.warps > 0 && next != other.next);
    if (warps == 0) next = other.next;
    warps += other.warps;
    splits += other.splits;
  }
};

struct Fault {
  FaultKind kind = FaultKind::race;
  Site at = nullptr;     ///< the access that showed it
  Site other = nullptr;  ///< the other one, where there are two
  std::string detail;    ///< "thread 33 of block 0 reads what thread 1 wrote"
};

/// A request of the warp that is watched; its line is looked up from `site` later.
struct WarpStep {
  Site site = nullptr;
  WarpRequest request;
};

/// What one launch of one kernel came to.
struct LaunchCounts {
  const void* kernel = nullptr;
  int64_t blocks = 0, threads = 0;  ///< threads of a block
  int64_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  Counts sites;
  std::map<Site, int64_t> warp_flop;      ///< of mma_sync(), which no instruction of a thread shows
  std::map<Site, int64_t> visits;         ///< of basic blocks, by single threads
  std::map<Site, BranchCounts> branches;  ///< by basic block
  std::vector<Fault> faults;              ///< each pair of places once
  std::vector<WarpStep>
      steps;               ///< the first of warp 0 of block 0; of the first launch that has some
  int64_t steps_made = 0;  ///< by that warp
};

}  // namespace ridge::emulated
