#include "common/record/lanes.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace ridge {
namespace {

constexpr std::string_view kLetters = "wlmst";
constexpr int64_t kLatest = int64_t{1} << 40;  // ten minutes at 2 GHz
constexpr size_t kMostLanes = 64;

/// Reads a number; false: there is none, or it is beyond `most`.
bool take_number(const char** at, const char* end, int64_t most, int64_t* number) {
  const auto [next, error] = std::from_chars(*at, end, *number);
  *at = next;
  return error == std::errc() && *number >= 0 && *number <= most;
}

}  // namespace

const char* name_of_what(LaneWhat what) {
  switch (what) {
    case LaneWhat::wait:
      return "waits for a stage of the ring";
    case LaneWhat::load:
      return "asks for a load";
    case LaneWhat::multiply:
      return "multiplication in flight";
    case LaneWhat::store:
      return "stores";
    case LaneWhat::turn:
      return "waits for its turn";
  }
  return "";
}

std::string encode_spans(const std::vector<KernelSpan>& spans) {
  std::string text;
  int64_t before = 0;
  for (const KernelSpan& span : spans) {
    text += kLetters[static_cast<size_t>(span.what)];
    text += std::to_string(span.begin - before) + "+" + std::to_string(span.length);
    before = span.begin;
  }
  return text;
}

std::vector<KernelSpan> decode_spans(const std::string& text) {
  std::vector<KernelSpan> spans;
  const char *at = text.data(), *end = at + text.size();
  int64_t before = 0;
  while (at != end) {
    const size_t what = kLetters.find(*at++);
    KernelSpan span;
    if (what == kLetters.npos || !take_number(&at, end, kLatest - before, &span.begin)) return {};
    if (at == end || *at++ != '+' || !take_number(&at, end, kLatest, &span.length)) return {};
    span.what = LaneWhat(static_cast<int>(what));
    span.begin += before;
    before = span.begin;
    spans.push_back(span);
  }
  return spans;
}

bool is_drawable(const KernelLanes& lanes) {
  return lanes.clock_hz > 0 && !lanes.lanes.empty() && lanes.lanes.size() <= kMostLanes &&
         std::all_of(lanes.lanes.begin(), lanes.lanes.end(), [](const KernelLane& lane) {
           return !lane.name.empty() && !decode_spans(lane.spans).empty();
         });
}

std::vector<KernelSpan> union_of(std::vector<KernelSpan> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const KernelSpan& a, const KernelSpan& b) { return a.begin < b.begin; });
  std::vector<KernelSpan> merged;
  for (const KernelSpan& span : spans) {
    if (!merged.empty() && span.begin <= merged.back().end())
      merged.back().length = std::max(merged.back().end(), span.end()) - merged.back().begin;
    else
      merged.push_back(span);
  }
  return merged;
}

LaneExtent extent_of(const KernelLanes& lanes) {
  LaneExtent extent;
  bool is_first = true;
  for (const KernelLane& lane : lanes.lanes) {
    for (const KernelSpan& span : decode_spans(lane.spans)) {
      extent.begin = is_first ? span.begin : std::min(extent.begin, span.begin);
      extent.end = is_first ? span.end() : std::max(extent.end, span.end());
      is_first = false;
    }
  }
  return extent;
}

double multiply_share(const KernelLanes& lanes) {
  std::vector<KernelSpan> all;
  for (const KernelLane& lane : lanes.lanes) {
    for (const KernelSpan& span : decode_spans(lane.spans)) {
      if (span.what == LaneWhat::multiply) all.push_back(span);
    }
  }
  int64_t clocks = 0;
  for (const KernelSpan& span : union_of(std::move(all))) clocks += span.length;
  const int64_t length = extent_of(lanes).length();
  return length > 0 ? double(clocks) / double(length) : 0;
}

std::vector<double> shares_of(const KernelLane& lane, const LaneExtent& extent) {
  std::vector<double> shares(kLaneWhats);
  for (const KernelSpan& span : decode_spans(lane.spans)) {
    if (extent.length() > 0)
      shares[static_cast<size_t>(span.what)] += double(span.length) / double(extent.length());
  }
  return shares;
}

}  // namespace ridge
