// What one warp of a counted CUDA rung asked memory for, request by request. Part of KernelCounts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/core/enum_table.h"

namespace ridge {

inline constexpr int kWarpLanes = 32;
/// Requests that are kept of a warp; it may make more.
inline constexpr size_t kMostWarpRequests = 256;

enum class WarpAccess { read, write, atomic };
template <>
struct EnumTable<WarpAccess> {
  static constexpr EnumName<WarpAccess> kRows[] = {
      {WarpAccess::read, "read"}, {WarpAccess::write, "write"}, {WarpAccess::atomic, "atomic"}};
};

/// The byte that each lane's access begins at, from the beginning of its buffer; none: the lane asks for nothing.
using LaneOffsets = std::array<std::optional<int64_t>, kWarpLanes>;

/// "4096+4x32": 32 lanes from byte 4096 on, each 4 further than the one before. "8": one lane. ".3": three lanes that ask
/// for nothing. Blanks lie between.
std::string encode_offsets(const LaneOffsets& offsets);
/// None where the text is not of 32 lanes.
std::optional<LaneOffsets> decode_offsets(const std::string& text);

/// What the lanes of a warp ask for together.
struct WarpRequest {
  int line = 0;  ///< of the rung's file, as LineCounts has it
  OpenEnum<WarpAccess> access = WarpAccess::read;
  bool is_shared = false;
  int64_t lane_bytes = 0;
  std::string
      buffer;  ///< "A"; of lanes in several buffers "A, B", and all offsets are from the first one's beginning
  std::string offsets;    ///< as encode_offsets() writes them
  int64_t cost = 0;       ///< sectors; of shared memory wavefronts
  int64_t conflicts = 0;  ///< of these, those beyond what lanes and width ask for

  bool operator==(const WarpRequest&) const = default;
};

/// The first requests of warp 0 of block 0, of the first launch in which it makes any.
struct WarpSteps {
  int64_t made = 0;  ///< by that warp, all of them
  std::vector<WarpRequest>
      requests;  ///< the first, in the order in which their first lanes made them

  bool operator==(const WarpSteps&) const = default;
};

}  // namespace ridge
