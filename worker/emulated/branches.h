// Where the lanes of a warp go different ways. Lanes run one after the other; the k-th time that each leaves a basic block,
// since the lanes last met, is taken for one branch of the warp. It is split where they do not all go to the same block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "worker/emulated/counts.h"
#include "worker/emulated/requests.h"

namespace ridge::emulated {

/// The branches of one warp since its lanes last met. Basic blocks are numbers of the core's, from 1.
class Branches {
 public:
  /// The warp begins: its lanes come from nowhere.
  void begin();
  /// A lane has come to block `to`; 0: it has ended. False: this lane is far ahead, and should wait for the others.
  bool go(int lane, uint32_t to);
  /// The lanes have met: what was collected is added, by block. `sites`: of each block.
  void meet(const std::vector<Site>& sites, std::vector<BranchCounts>* counts);

 private:
  struct Visit {
    uint32_t next = 0;
    bool is_taken = false, is_split = false;
  };
  struct Place {
    std::array<uint32_t, kLanes> made{};  ///< times that each lane left it
    std::vector<Visit> visits;
    size_t used = 0;
  };
  std::array<uint32_t, kLanes> at_{};  ///< the block that each lane is in; 0: none
  std::vector<Place> places_;          ///< by block
  std::vector<uint32_t> touched_;      ///< blocks with visits
};

}  // namespace ridge::emulated
