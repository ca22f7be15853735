#include "app/query/lanes_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/core/format.h"
#include "common/record/stale_words.h"

namespace ridge::app {
namespace {

constexpr int64_t kTextColumns = 100;

/// What most of each column's time goes to; a character alone where a lane does nothing of it.
std::string picture_of(const std::vector<KernelSpan>& spans, const LaneExtent& extent,
                       bool multiplies) {
  std::string text(kTextColumns, ' ');
  for (int64_t column = 0; column < kTextColumns; ++column) {
    const int64_t from = extent.begin + extent.length() * column / kTextColumns;
    const int64_t to = extent.begin + extent.length() * (column + 1) / kTextColumns;
    int64_t clocks[kLaneWhats] = {};
    for (const KernelSpan& span : spans) {
      if ((span.what == LaneWhat::multiply) != multiplies) continue;
      const int64_t part = std::min(span.end(), to) - std::max(span.begin, from);
      clocks[static_cast<size_t>(span.what)] += std::max<int64_t>(0, part);
    }
    const auto* most = std::max_element(std::begin(clocks), std::end(clocks));
    if (*most * 4 > to - from) text[static_cast<size_t>(column)] = "w:#=t"[most - clocks];
  }
  return text;
}

}  // namespace

std::string share_text(const KernelLanes& lanes) {
  return fmt::format("a multiplication in flight {:.1f} % of {}", multiply_share(lanes) * 100,
                     format_time_ns(lanes.us(extent_of(lanes).length()) * 1e3));
}

std::string cost_text(const KernelLanes& lanes) {
  if (lanes.cost <= 0) return "what the stamps cost is not known";
  std::string text = fmt::format("a call with stamps takes {:.3f}×", lanes.cost);
  if (lanes.cost_ci)
    text += fmt::format(" [{:.3f}, {:.3f}]", lanes.cost_ci->low, lanes.cost_ci->high);
  return text + " the time";
}

std::string left_out_text(const KernelLanes& lanes) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (lanes.blocks_left > 0)
    add(fmt::format("{} of {} blocks have no stamps", lanes.blocks_left, lanes.blocks));
  int64_t dropped = 0;
  for (const KernelLane& lane : lanes.lanes) dropped += lane.dropped;
  if (dropped > 0) add(fmt::format("{} stamps had no room", dropped));
  if (lanes.cut) add(fmt::format("shown until {}", format_time_ns(lanes.us(*lanes.cut) * 1e3)));
  return text;
}

std::string lanes_text(const KernelLanes& lanes) {
  const LaneExtent extent = extent_of(lanes);
  std::string text = fmt::format("SM {}, block{} {}, {:.0f} MHz by its own stamps\n", lanes.sm,
                                 lanes.block_ids.size() == 1 ? "" : "s",
                                 fmt::join(lanes.block_ids, " "), lanes.clock_hz / 1e6);
  text += share_text(lanes) + "\n" + cost_text(lanes);
  if (lanes.call_ns > 0)
    text += fmt::format(": {} → {}", format_time_ns(lanes.call_ns),
                        format_time_ns(lanes.stamped_call_ns));
  text += "\n";
  if (const std::string left = left_out_text(lanes); !left.empty()) text += left + "\n";
  text += fmt::format(
      "\n{} a character: # multiplication in flight, w waits for a stage, : loads, = stores, t "
      "waits for "
      "its turn\n",
      format_time_ns(lanes.us(extent.length()) * 1e3 / double(kTextColumns)));
  for (const KernelLane& lane : lanes.lanes) {
    const auto spans = decode_spans(lane.spans);
    const bool multiplies = std::any_of(spans.begin(), spans.end(), [](const KernelSpan& span) {
      return span.what == LaneWhat::multiply;
    });
    if (multiplies)
      text += fmt::format("{:<24} |{}|\n", lane.name, picture_of(spans, extent, true));
    text +=
        fmt::format("{:<24} |{}|\n", multiplies ? "" : lane.name, picture_of(spans, extent, false));
  }
  for (const KernelLane& lane : lanes.lanes) {
    text += lane.name + ":";
    const auto shares = shares_of(lane, extent);
    for (size_t i = 0; i < shares.size(); ++i) {
      if (shares[i] > 0)
        text += fmt::format(" {} {:.1f} %,", name_of_what(LaneWhat(static_cast<int>(i))),
                            shares[i] * 100);
    }
    text.back() = '\n';
  }
  return text;
}

const Inspection* recorded_lanes(std::span<const Recording> recordings, const std::string& kernel,
                                 std::string* machine) {
  const Inspection* best = nullptr;
  for (const Recording& recording : recordings) {
    for (const Inspection& one : recording.run->inspections()) {
      if (!one.lanes || one.kernel != kernel) continue;
      if (best && best->lanes->stale < one.lanes->stale) continue;
      best = &one;
      *machine = recording.machine;
    }
  }
  return best;
}

}  // namespace ridge::app
