// What the warps of a Hopper kernel did on one SM during one call, from clock stamps in a copy of the rung: lanes of spans.
// Part of an Inspection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge {

enum class LaneWhat : int { wait, load, multiply, store, turn };
inline constexpr int kLaneWhats = 5;
/// "waits for a stage", "has multiplications in flight": for a legend.
const char* name_of_what(LaneWhat what);

/// In clocks of the SM since the first block began. Spans of a lane begin in order. Multiplications go on while their warps
/// do something else, so `multiply` overlaps the others; those do not overlap each other.
struct KernelSpan {
  LaneWhat what = LaneWhat::wait;
  int64_t begin = 0, length = 0;
  int64_t end() const { return begin + length; }
  bool operator==(const KernelSpan&) const = default;
};

/// One role of the block: "producer", "consumer 0". Blocks of the SM that follow each other share their lanes.
struct KernelLane {
  std::string name;
  std::string spans;    ///< encode_spans()
  int64_t dropped = 0;  ///< stamps that had no room
};

struct KernelLanes {
  std::string hash;    ///< of the rung's code
  bool stale = false;  ///< the rung has changed since; Run::mark_stale() sets it, no line holds it
  int64_t sm = 0;
  double clock_hz = 0;             ///< of this SM during the call, by its own stamps
  int64_t blocks = 0;              ///< that ran on this SM
  int64_t blocks_left = 0;         ///< of them without stamps: there was room for fewer
  std::vector<int64_t> block_ids;  ///< the others, in the order in which they began
  /// The spans end here, in clocks, where a line holds no more of the call; none: they are whole.
  std::optional<int64_t> cut;
  double call_ns = 0, stamped_call_ns = 0;  ///< medians, measured in turns in one process
  /// What the stamps cost: time of a stamped call over that of a plain one.
  double cost = 0;
  std::optional<Interval> cost_ci;
  std::vector<KernelLane> lanes;

  double us(int64_t clocks) const { return clock_hz > 0 ? double(clocks) / clock_hz * 1e6 : 0; }
};

/// "w0+120m80+512": a letter, clocks since the span before began, and how long it lasts.
std::string encode_spans(const std::vector<KernelSpan>& spans);
/// Empty where the text is none.
std::vector<KernelSpan> decode_spans(const std::string& text);
/// Whether every lane has a name and spans, so that it can be drawn.
bool is_drawable(const KernelLanes& lanes);

/// Spans of one kind, those that overlap or touch made one, in order.
std::vector<KernelSpan> union_of(std::vector<KernelSpan> spans);
/// Clocks from the first span's begin to the last end, of all lanes; 0: no spans.
struct LaneExtent {
  int64_t begin = 0, end = 0;
  int64_t length() const { return end - begin; }
};
LaneExtent extent_of(const KernelLanes& lanes);
/// The share of that time in which some warpgroup had a multiplication in flight.
double multiply_share(const KernelLanes& lanes);
/// Of one lane: the share of that time for each LaneWhat.
std::vector<double> shares_of(const KernelLane& lane, const LaneExtent& extent);

}  // namespace ridge
