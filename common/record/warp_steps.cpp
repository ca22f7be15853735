#include "common/record/warp_steps.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace ridge {
namespace {

/// The lanes from `first` on that follow each other at one distance; 1 where the next one asks for nothing.
int run_from(const LaneOffsets& offsets, size_t first) {
  size_t end = first + 1;
  if (end == offsets.size() || !offsets[end]) return 1;
  while (end < offsets.size() && offsets[end] &&
         *offsets[end] - *offsets[end - 1] == *offsets[first + 1] - *offsets[first])
    ++end;
  return static_cast<int>(end - first);
}

/// Takes a number off the front of a text; false: there is none.
bool take_number(std::string_view* text, int64_t* value) {
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *value);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  constexpr int64_t kMost = int64_t{1} << 53;  // sums of 32 of them fit 64 bits
  return *value >= -kMost && *value <= kMost;
}

/// One word of the text, for the lanes from *lane on.
bool take_word(std::string_view word, LaneOffsets* offsets, int64_t* lane) {
  int64_t first = 0, distance = 0, count = 1;
  const bool is_gap = word.starts_with('.');
  if (is_gap) {
    word.remove_prefix(1);
    if (!take_number(&word, &count)) return false;
  } else {
    if (!take_number(&word, &first)) return false;
    if (!word.empty()) {
      if (word.starts_with('+')) word.remove_prefix(1);
      if (!take_number(&word, &distance) || !word.starts_with('x')) return false;
      word.remove_prefix(1);
      if (!take_number(&word, &count)) return false;
    }
  }
  if (!word.empty() || count < 1 || count > kWarpLanes - *lane) return false;
  for (int64_t i = 0; i < count; ++i, ++*lane) {
    if (!is_gap) (*offsets)[static_cast<size_t>(*lane)] = first + i * distance;
  }
  return true;
}

}  // namespace

std::string encode_offsets(const LaneOffsets& offsets) {
  constexpr int kShortest = 3;  // two lanes are as short one by one
  std::string text;
  for (size_t lane = 0; lane < offsets.size();) {
    if (!text.empty()) text += ' ';
    if (!offsets[lane]) {
      size_t end = lane;
      while (end < offsets.size() && !offsets[end]) ++end;
      text += '.' + std::to_string(end - lane);
      lane = end;
      continue;
    }
    text += std::to_string(*offsets[lane]);
    const int count = run_from(offsets, lane);
    if (count < kShortest) {
      ++lane;
      continue;
    }
    const int64_t distance = *offsets[lane + 1] - *offsets[lane];
    text += (distance < 0 ? "" : "+") + std::to_string(distance) + 'x' + std::to_string(count);
    lane += static_cast<size_t>(count);
  }
  return text;
}

std::optional<LaneOffsets> decode_offsets(const std::string& text) {
  LaneOffsets offsets;
  int64_t lane = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (!take_word(word, &offsets, &lane)) return std::nullopt;
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  if (lane != kWarpLanes) return std::nullopt;
  return offsets;
}

}  // namespace ridge
