// ridge: flags=-O3
#include "kernels/loops/cache_model.h"

#include <algorithm>
#include <cstdio>
#include <string>

namespace ridge::loops {
namespace {

constexpr int64_t kMaxSeen = int64_t{1} << 27;  // lines: 8 GB

/// The body of a nest that touches lines instead of multiplying. x, f and y lie 4 GiB and an odd number of
/// pages apart, so that where they happen to be allocated plays no part.
struct Touch {
  static constexpr int64_t kStarts[] = {0, (int64_t{1} << 32) + 5 * 4096,
                                        2 * ((int64_t{1} << 32) + 11 * 4096)};

  std::vector<measure::CacheSets> levels;
  std::vector<double> missed;
  std::vector<bool> seen[3];  ///< of x, f, y: the line came before
  int64_t line_bytes, most, touched = 0, first = 0;
  double rounds = 0;  ///< multiply-adds so far

  template <int kAxis>
  bool run(const Nest& nest, Place at, int64_t count) {
    stream(0, at.x * 4, nest.x_step[kAxis] * 4, count);
    stream(1, at.f * 4, nest.f_step[kAxis] * 4, count);
    stream(2, at.y * 4, nest.y_step[kAxis] * 4, count);
    rounds += double(count);
    return touched < most;
  }

  /// Each line of the stream once: further touches in a row are hits that change nothing.
  void stream(int array, int64_t from, int64_t step, int64_t count) {
    int64_t last = -1;
    const int64_t jump = std::max<int64_t>(step, 1);
    for (int64_t i = 0; i < (step == 0 ? 1 : count); ++i) {
      const int64_t place = (from + i * jump) / line_bytes;
      if (place == last) continue;
      last = place;
      ++touched;
      const int64_t line = place + kStarts[array] / line_bytes;
      size_t level = 0;
      for (; level < levels.size() && !levels[level].use(line); ++level) ++missed[level];
      // What was never there is missed everywhere. Of an image over 8 GB nobody waits for the end.
      if (level == 0 || static_cast<size_t>(place) >= seen[array].size()) continue;
      auto came = seen[array][static_cast<size_t>(place)];
      first += came ? 0 : 1;
      came = true;
    }
  }
};

int64_t lines_of(const Nest& nest, const int64_t* step, int64_t line_bytes) {
  int64_t last = 0;
  for (int axis = 0; axis < kAxes; ++axis) last += (nest.count[axis] - 1) * step[axis];
  return last * 4 / line_bytes + 1;
}

/// "1.2 MB".
std::string bytes_text(double bytes) {
  char text[32];
  const char* unit = "B";
  for (const char* next : {"kB", "MB", "GB"}) {
    if (bytes < 999.5) break;
    bytes /= 1000, unit = next;
  }
  std::snprintf(text, sizeof text, bytes < 9.95 ? "%.1f %s" : "%.0f %s", bytes, unit);
  return text;
}

}  // namespace

Traffic predict(const Nest& nest, int order, const std::vector<CacheLevel>& levels, int64_t max_lines) {
  Traffic traffic;
  if (levels.empty()) return traffic;
  Touch body;
  for (const CacheLevel& level : levels) body.levels.emplace_back(level);
  body.missed.assign(levels.size(), 0);
  body.line_bytes = levels.front().line_bytes;
  body.most = max_lines;
  const int64_t* const steps[] = {nest.x_step, nest.f_step, nest.y_step};
  double lines = 0;
  for (int array = 0; array < 3; ++array) {
    const int64_t all_lines = lines_of(nest, steps[array], body.line_bytes);
    body.seen[array].resize(static_cast<size_t>(std::min(all_lines, kMaxSeen)));
    lines += double(all_lines);
  }
  run_order(order, nest, body);
  double all = 1;
  for (const int64_t count : nest.count) all *= double(count);
  traffic.share = body.rounds / all;
  traffic.touched = double(body.touched) / traffic.share;
  // A line comes a first time once, however short the beginning: only what comes again is scaled.
  const auto first = double(body.first);
  for (const double missed : body.missed) {
    const bool whole = body.rounds == all;
    traffic.missed.push_back(whole ? missed : lines + (missed - first) / traffic.share);
  }
  traffic.line_bytes = double(body.line_bytes);
  return traffic;
}

void describe(const Traffic& traffic, double times, char* text, size_t size) {
  if (traffic.missed.empty()) {
    std::snprintf(text, size, "cache model unavailable: the system does not tell its caches");
    return;
  }
  std::string said = "model:";
  for (size_t level = 0; level < traffic.missed.size(); ++level) {
    const bool last = level + 1 == traffic.missed.size();
    said += (level > 0 ? ", " : " ") +
            bytes_text(traffic.missed[level] * traffic.line_bytes * times) + " from " +
            (last ? "memory" : "L" + std::to_string(level + 2));
  }
  if (traffic.share < 0.999)
    said += " (first " +
            std::to_string(static_cast<int>(traffic.share * 1000) / 10.0).substr(0, 4) +
            " % simulated)";
  std::snprintf(text, size, "%s", said.c_str());
}

}  // namespace ridge::loops
