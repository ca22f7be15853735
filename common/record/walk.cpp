#include "common/record/walk.h"

#include <algorithm>
#include <charconv>

namespace ridge {
namespace {

constexpr int64_t kMostLines = 1 << 16;
constexpr int kTouches = 3, kLetters = 9;

char letter_of(const WalkLine& line) {
  return static_cast<char>('a' + kTouches * static_cast<int>(line.place) +
                           static_cast<int>(line.touch));
}

int64_t lines_of(const Walk& walk) {
  int64_t lines = 0;
  for (const WalkPlane& plane : walk.planes) lines += plane.lines;
  return lines;
}

}  // namespace

std::string encode_lines(const std::vector<WalkLine>& lines) {
  std::string text;
  for (size_t at = 0; at < lines.size();) {
    size_t end = at + 1;
    while (end < lines.size() && lines[end] == lines[at]) ++end;
    if (end - at > 1) text += std::to_string(end - at);
    text += letter_of(lines[at]);
    at = end;
  }
  return text;
}

std::vector<WalkLine> decode_lines(const std::string& text, int64_t count) {
  std::vector<WalkLine> lines;
  const char *at = text.data(), *end = at + text.size();
  while (at != end) {
    int64_t run = 1;
    if (*at >= '0' && *at <= '9') {
      const auto [next, error] = std::from_chars(at, end, run);
      if (error != std::errc() || next == end) return {};
      at = next;
    }
    const int letter = *at++ - 'a';
    if (letter < 0 || letter >= kLetters || run < 1 || run > count - std::ssize(lines)) return {};
    lines.insert(lines.end(), static_cast<size_t>(run),
                 {WalkPlace(letter / kTouches), WalkTouch(letter % kTouches)});
  }
  if (std::ssize(lines) != count) return {};
  return lines;
}

bool is_drawable(const Walk& walk) {
  if (walk.planes.empty() || walk.frames.empty() || walk.caches.empty()) return false;
  for (const WalkPlane& plane : walk.planes) {
    if (plane.rows < 1 || plane.columns < 1 || plane.elements < 1 || plane.lines < 1 ||
        plane.lines > kMostLines || plane.rows > kMostLines || plane.columns > kMostLines ||
        plane.lines * plane.elements < plane.rows * plane.columns)
      return false;
  }
  const int64_t lines = lines_of(walk);
  return lines <= kMostLines &&
         std::all_of(walk.frames.begin(), walk.frames.end(), [&](const WalkFrame& frame) {
           return frame.missed.size() == walk.caches.size() && frame.plane >= 0 &&
                  frame.plane < std::ssize(walk.planes) &&
                  !decode_lines(frame.lines, lines).empty();
         });
}

}  // namespace ridge
