#include "common/view/chart/labels.h"

#include <algorithm>
#include <cmath>

namespace ridge::chart::parts {

bool Occupied::is_free(const Box& box) const {
  if (box.left < inside_.left || box.right > inside_.right || box.top < inside_.top ||
      box.bottom > inside_.bottom) {
    return false;
  }
  return std::none_of(boxes_.begin(), boxes_.end(),
                      [&](const Box& other) { return box.overlaps(other); });
}

bool Occupied::is_free(const std::vector<Box>& boxes) const {
  return std::all_of(boxes.begin(), boxes.end(), [&](const Box& box) { return is_free(box); });
}

std::vector<Box> text_boxes(Point start, float px, float high, float angle) {
  const float dx = std::cos(angle), dy = std::sin(angle);
  if (std::abs(dy) < 1e-3f) {
    return {{start.x, start.y - high / 2, start.x + px, start.y + high / 2}};
  }
  const int count = std::max(1, static_cast<int>(std::ceil(px / (high * 0.7f))));
  std::vector<Box> boxes;
  for (int i = 0; i <= count; ++i) {
    const float along = px * static_cast<float>(i) / static_cast<float>(count);
    const Point at = {start.x + dx * along, start.y + dy * along};
    boxes.push_back({at.x - high / 2, at.y - high / 2, at.x + high / 2, at.y + high / 2});
  }
  return boxes;
}

std::vector<float> spread(std::vector<float> wanted, float pitch, float low, float high) {
  // Neighbours that would touch form a block; a block lies at the mean of what its members want.
  struct Block {
    float sum = 0;  ///< of wanted positions, each less its place in the block
    int count = 0;
    float start() const { return sum / static_cast<float>(count); }
  };
  std::vector<Block> blocks;
  for (const float want : wanted) {
    blocks.push_back({want, 1});
    while (blocks.size() > 1) {
      Block& before = blocks[blocks.size() - 2];
      const Block& last = blocks.back();
      const float step = pitch * static_cast<float>(before.count);
      if (before.start() + step <= last.start()) break;
      before.sum += last.sum - step * static_cast<float>(last.count);
      before.count += last.count;
      blocks.pop_back();
    }
  }
  std::vector<float> placed;
  for (const Block& block : blocks) {
    for (int i = 0; i < block.count; ++i) {
      placed.push_back(block.start() + pitch * static_cast<float>(i));
    }
  }
  for (size_t i = placed.size(); i-- > 0;) {  // up from the end, then down from the start
    placed[i] = std::min(placed[i], i + 1 < placed.size() ? placed[i + 1] - pitch : high);
  }
  for (size_t i = 0; i < placed.size(); ++i) {
    placed[i] = std::max(placed[i], i > 0 ? placed[i - 1] + pitch : low);
  }
  return placed;
}

bool clip_segment(const Box& box, Point* a, Point* b) {
  const float dx = b->x - a->x, dy = b->y - a->y;
  float from = 0, to = 1;
  const float step[] = {-dx, dx, -dy, dy};
  const float room[] = {a->x - box.left, box.right - a->x, a->y - box.top, box.bottom - a->y};
  for (int i = 0; i < 4; ++i) {
    if (step[i] == 0) {
      if (room[i] < 0) return false;
      continue;
    }
    const float t = room[i] / step[i];
    if (step[i] < 0)
      from = std::max(from, t);
    else
      to = std::min(to, t);
  }
  if (!(from <= to)) return false;
  const Point start = *a;
  if (to < 1) *b = {start.x + dx * to, start.y + dy * to};
  if (from > 0) *a = {start.x + dx * from, start.y + dy * from};
  return true;
}

}  // namespace ridge::chart::parts
