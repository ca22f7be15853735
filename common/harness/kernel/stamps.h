// Stamps of the clock inside a GPU kernel: what the copy of a rung that is compiled with
// kernels/runtime/cuda/stamps.h before its text writes, and how the worker finds that copy. The copy is in a section of
// its own, so no list of rungs holds it.
#pragma once

#include <span>
#include <string_view>

#include "common/harness/kernel/kernel.h"

namespace ridge {

/// What a stamp is of.
enum class StampKind : uint8_t {
  none,   ///< behind the last
  wait,   ///< for an mbarrier: a full stage (who multiplies), an empty one (who loads)
  load,   ///< a request to the copy engine
  fence,  ///< an instant: the multiplications of a group begin
  drain,  ///< a wait until all but `pending` groups have ended
  store,  ///< a tile of C, or its copies, on their way
  turn,   ///< a wait for the other warpgroup
  pass    ///< an instant: the turn is passed on
};

/// Clocks of the SM. The kind is in the low 4 bits of `begin`, the groups still pending in those of `end`.
struct ClockStamp {
  uint64_t begin, end;
  static constexpr int kShift = 4;
  static constexpr uint64_t kLow = 15;
};

constexpr int kStampLanes = 4;       ///< warpgroups of a block
constexpr int kStampsOfLane = 4096;  ///< a lane's room; what is more is counted
constexpr int kStampBlocks = 16;     ///< blocks of the SM, in the order in which they began

/// In device memory. The host clears it and sets `sm` and `keeps_first` before the call.
struct StampRing {
  int sm;
  int keeps_first;  ///< 0: later blocks write over the first ones, so that every call has the cost of stamps
  int blocks;  ///< that began on this SM
  int unused;
  struct Block {
    int index, unused;
    /// The same moments on the SM's clock and on the GPU's in ns: when the block began, and when it last stored.
    uint64_t first_clock, first_ns, last_clock, last_ns;
    uint64_t dropped[kStampLanes];
  } block[kStampBlocks];
  ClockStamp stamps[kStampBlocks][kStampLanes][kStampsOfLane];
};

/// A rung's copy with stamps. `ring`: where its StampRing is, on the current device.
struct StampedDesc {
  const char* rung = nullptr;  ///< "gemm.cuda.ping_pong"
  const KernelDesc* kernel = nullptr;
  Status (*ring)(void** at) = nullptr;
};

/// Null: this build has no copy of that rung.
const StampedDesc* find_stamped(std::string_view rung);

}  // namespace ridge
