// ridge: flags=-O3
#include "kernels/loops/cache_model.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

namespace ridge::loops {
namespace {

/// One level: each set's lines, the one used last in front.
class Level {
 public:
  explicit Level(const CacheLevel& level)
      : sets_(level.sets), ways_(level.ways), lines_(size_t(level.sets * level.ways), -1) {}

  /// Whether it was there; it is now.
  bool use(int64_t line) {
    int64_t* set = lines_.data() + line % sets_ * ways_;
    if (set[0] == line) return true;
    int64_t at = 1;
    while (at < ways_ && set[at] != line) ++at;
    const bool found = at < ways_;
    for (int64_t i = found ? at : ways_ - 1; i > 0; --i) set[i] = set[i - 1];
    set[0] = line;
    return found;
  }

 private:
  int64_t sets_, ways_;
  std::vector<int64_t> lines_;
};

/// The body of a nest that touches lines instead of multiplying. x, f and y lie 4 GiB and an odd number of
/// pages apart, so that where they happen to be allocated plays no part.
struct Touch {
  static constexpr int64_t kFilters = (int64_t{1} << 32) + 5 * 4096;
  static constexpr int64_t kOutputs = 2 * ((int64_t{1} << 32) + 11 * 4096);

  std::vector<Level> levels;
  std::vector<double> missed;
  int64_t line_bytes, most, touched = 0;
  double rounds = 0;  ///< multiply-adds so far

  template <int kAxis>
  bool run(const Nest& nest, Place at, int64_t count) {
    stream(at.x * 4, nest.x_step[kAxis] * 4, count);
    stream(kFilters + at.f * 4, nest.f_step[kAxis] * 4, count);
    stream(kOutputs + at.y * 4, nest.y_step[kAxis] * 4, count);
    rounds += double(count);
    return touched < most;
  }

  /// Each line of the stream once: further touches in a row are hits that change nothing.
  void stream(int64_t from, int64_t step, int64_t count) {
    int64_t last = -1;
    const int64_t jump = std::max<int64_t>(step, 1);
    for (int64_t i = 0; i < (step == 0 ? 1 : count); ++i) {
      const int64_t line = (from + i * jump) / line_bytes;
      if (line == last) continue;
      last = line;
      ++touched;
      for (size_t level = 0; level < levels.size() && !levels[level].use(line); ++level)
        ++missed[level];
    }
  }
};

int64_t number_in(const std::string& file) {
  int64_t value = 0;
  std::ifstream(file) >> value;
  return value;
}

std::vector<CacheLevel> read_caches() {
  std::vector<CacheLevel> levels;
  for (int index = 0; index < 8; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    std::string type;
    if (!(std::ifstream(folder + "type") >> type)) break;
    const CacheLevel level = {number_in(folder + "number_of_sets"),
                              number_in(folder + "ways_of_associativity"),
                              number_in(folder + "coherency_line_size")};
    if (type != "Instruction" && level.sets > 0 && level.ways > 0 && level.line_bytes > 0)
      levels.push_back(level);
  }
  return levels;
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

const std::vector<CacheLevel>& machine_caches() {
  static const std::vector<CacheLevel> caches = read_caches();
  return caches;
}

Traffic predict(const Nest& nest, int order, const std::vector<CacheLevel>& levels,
                int64_t most_lines) {
  Traffic traffic;
  if (levels.empty()) return traffic;
  Touch body;
  for (const CacheLevel& level : levels) body.levels.emplace_back(level);
  body.missed.assign(levels.size(), 0);
  body.line_bytes = levels.front().line_bytes;
  body.most = most_lines;
  run_order(order, nest, body);
  double all = 1;
  for (const int64_t count : nest.count) all *= double(count);
  traffic.share = body.rounds / all;
  traffic.touched = double(body.touched) / traffic.share;
  for (const double missed : body.missed) traffic.missed.push_back(missed / traffic.share);
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
