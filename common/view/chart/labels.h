// Where labels find room: nothing is printed over anything else, and what finds no room is left to
// hovering and to the table.
#pragma once

#include <vector>

#include "common/view/chart/model.h"

namespace ridge::chart::parts {

struct Box {
  float left = 0, top = 0, right = 0, bottom = 0;
  float width() const { return right - left; }
  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// The part of a segment that is inside the box (Liang and Barsky, 1984); false: none of it.
bool clip_segment(const Box& box, Point* a, Point* b);

/// What is taken of a picture. A rotated text takes a chain of small boxes.
class Occupied {
 public:
  explicit Occupied(const Box& inside) : inside_(inside) {}
  void add(const Box& box) { boxes_.push_back(box); }
  void add(const std::vector<Box>& boxes) {
    boxes_.insert(boxes_.end(), boxes.begin(), boxes.end());
  }
  /// Inside the picture and apart from everything added.
  bool is_free(const Box& box) const;
  bool is_free(const std::vector<Box>& boxes) const;

 private:
  Box inside_;
  std::vector<Box> boxes_;
};

/// The boxes along a text of width `px` and height `high` that starts at `start` (its middle line)
/// and runs in the direction `angle`.
std::vector<Box> text_boxes(Point start, float px, float high, float angle);

/// Moves positions as little as possible so that neighbours are `pitch` apart and all lie inside
/// [low, high]; order is kept. They must be sorted; where the range is too short they crowd at `low`
/// with `pitch` between them.
std::vector<float> spread(std::vector<float> wanted, float pitch, float low, float high);

}  // namespace ridge::chart::parts
