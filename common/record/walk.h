// A walk through memory: which cache lines of its matrices and copies a rung touched, in the order in which it touched
// them, and where a model of the caches holds each line. Part of an Inspection.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge {

/// One level of the caches, and what the walk in view missed in it.
struct WalkCache {
  std::string name;  ///< "L1"
  int64_t bytes = 0, ways = 0;
  int64_t missed = 0;  ///< lines, over the whole walk
};

/// A matrix, or what the rung copied of one: lines in the order of their addresses.
struct WalkPlane {
  std::string name;               ///< "A", "copy of B"
  int64_t rows = 0, columns = 0;  ///< elements; of a copy as many columns as there is room to draw
  int64_t lines = 0;
  int64_t elements = 0;  ///< of a line
  bool is_copy = false;
};

/// What happened between two moments. `lines` has one letter for each line of each plane, runs of one letter as a
/// count and the letter: "3a2h". Letter 'a' + 3 * place + touch; place: 0 memory, 1 L2, 2 L1; touch: 0 not in this frame,
/// 1 read, 2 written.
struct WalkFrame {
  std::string lines;
  std::vector<int64_t> missed;     ///< lines, of each level
  int64_t plane = 0, element = 0;  ///< where the frame's last access was
};

struct Walk {
  int64_t reads = 0, writes = 0;  ///< accesses to planes, of the whole walk
  int64_t bytes = 0;              ///< of those accesses: what the core asks of L1
  int64_t elsewhere = 0;  ///< accesses to the stack and to the plan's own fields: in no plane
  int64_t first = 0, count = 0;  ///< the accesses that the frames show, in equal parts
  double flop = 0;
  int64_t line_bytes = 64;
  std::string caches_are;  ///< in words: "scaled down", "as this machine's"
  std::vector<WalkCache> caches;
  std::vector<WalkPlane> planes;
  std::vector<WalkFrame> frames;

  int64_t accesses() const { return reads + writes; }
  double asked_per_flop() const { return flop > 0 ? double(bytes) / flop : 0; }
  /// Bytes that came from below level `i`, for each FLOP.
  double bytes_per_flop(size_t i) const {
    return flop > 0 ? double(caches[i].missed) * double(line_bytes) / flop : 0;
  }
};

enum class WalkPlace : int { memory, l2, l1 };
enum class WalkTouch : int { none, read, written };
/// Of one line in one frame.
struct WalkLine {
  WalkPlace place = WalkPlace::memory;
  WalkTouch touch = WalkTouch::none;
  bool operator==(const WalkLine&) const = default;
};

std::string encode_lines(const std::vector<WalkLine>& lines);
/// Empty where the text is none, or of another number of lines than `count`.
std::vector<WalkLine> decode_lines(const std::string& text, int64_t count);
/// Whether frames, planes and caches fit together, so that it can be drawn.
bool is_drawable(const Walk& walk);

}  // namespace ridge
