#include "common/record/door.h"

#include <algorithm>
#include <cmath>

namespace ridge {
namespace {

bool is_time(double ns) {
  return ns > 0 && ns <= kLongest_ns;  // no NaN
}

/// Bytes of the UTF-8 character at `at` that is obeyed instead of shown; 0: it is shown.
size_t obeyed_bytes(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  const unsigned first = byte(0);
  if (first < 0x20 || first == 0x7f) return first >= '\t' && first <= '\r' ? 0 : 1;
  if (first == 0xc2 && byte(1) >= 0x80 && byte(1) <= 0x9f) return 2;  // C1: U+009B is ESC [
  const bool turns = first == 0xe2 && ((byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae) ||
                                       (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9));
  return turns ? 3 : 0;
}

}  // namespace

bool is_nested_too_deep(std::string_view json) {
  int depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kDeepestJson) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

void make_plain(std::string* text, bool is_name) {
  size_t kept = 0;  // what is replaced becomes shorter, never longer
  for (size_t i = 0; i < text->size();) {
    const size_t bytes = obeyed_bytes(*text, i);
    const char c = bytes > 0 ? '?' : (*text)[i];
    (*text)[kept++] = is_name && c >= '\t' && c <= '\r' ? ' ' : c;
    i += std::max<size_t>(bytes, 1);
  }
  text->resize(kept);
}

bool is_usable(const Sample& sample) {
  return is_time(sample.t_ns) && sample.calls > 0 && sample.index >= 0;
}

bool is_usable(const Round& round) {
  return std::all_of(round.t_ns.begin(), round.t_ns.end(), is_time) &&
         round.t_ns.size() == round.order.size() &&
         (round.sm_clock_hz.empty() || round.sm_clock_hz.size() == round.order.size());
}

bool is_usable(const CurvePoint& point) {
  return std::isfinite(point.t_s) && !point.values.empty();
}

bool is_usable(const Span& span) {
  return span.start_ns >= 0 && span.end_ns >= span.start_ns && span.end_ns <= kLongest_ns;
}

bool is_usable(const Ceiling& ceiling) {
  return ceiling.value > 0 && std::isfinite(ceiling.value) && !ceiling.name.empty();
}

bool is_usable(const Stats& stats) {
  const bool brackets =
      !stats.ci_ns || (stats.ci_ns->low <= stats.median_ns && stats.median_ns <= stats.ci_ns->high);
  return stats.n > 0 && is_time(stats.median_ns) && brackets;
}

void drop_impossible(SeriesFacts* series) {
  for (double* figure : {&series->flop, &series->bytes_min, &series->bytes_written,
                         &series->memory_bytes, &series->items_per_s})
    if (!std::isfinite(*figure) || *figure < 0) *figure = 0;
}

bool is_usable(const InspectionPlane& plane) {
  constexpr int kMostCells = 1 << 20;
  const bool has_grid =
      plane.rows > 0 && plane.columns > 0 && plane.rows <= kMostCells / plane.columns;
  const auto cells = has_grid ? int64_t{plane.rows} * plane.columns : 0;
  const bool in_grid =
      std::all_of(plane.marks.begin(), plane.marks.end(),
                  [&](const PlaneMark& mark) { return mark.cell >= 0 && mark.cell < cells; });
  constexpr int kLargest = 1 << 30;  // differences fit an int
  const auto is_small = [](int value) { return value >= -kLargest && value <= kLargest; };
  return has_grid && in_grid && plane.low < plane.high && is_small(plane.low) &&
         is_small(plane.high) && std::all_of(plane.values.begin(), plane.values.end(), is_small) &&
         (plane.values.empty() || std::ssize(plane.values) == cells);
}

bool is_usable(const LineCounts& line) {
  const SiteCounts& c = line.counts;
  const auto is_traffic = [](const MemoryTraffic& t) {
    constexpr int64_t kLanes = 32;
    return t.requests >= 0 && t.lanes >= t.requests && t.lanes <= kLanes * t.requests &&
           t.bytes >= 0 && t.sectors >= 0 && t.wavefronts >= 0 && t.conflicts >= 0 &&
           t.l1_passes >= 0 && t.l2_sectors >= 0 && t.dram_sectors >= 0 &&
           t.conflicts <= t.wavefronts;
  };
  return line.line >= 0 && line.flop >= 0 && line.tensor_flop >= 0 && c.barriers >= 0 &&
         c.copies >= 0 && c.split_branches >= 0 && c.split_branches <= c.branches &&
         is_traffic(c.global_reads) && is_traffic(c.global_writes) &&
         is_traffic(c.global_atomics) && is_traffic(c.shared_reads) &&
         is_traffic(c.shared_writes) && is_traffic(c.shared_atomics);
}

bool is_usable(const CountedLaunch& launch) {
  return launch.blocks > 0 && launch.threads > 0 && launch.static_shared_bytes >= 0 &&
         launch.dynamic_shared_bytes >= 0;
}

bool is_usable(const WarpRequest& request) {
  constexpr int64_t kWidest = 16, kMostCost = 1024;
  const auto offsets = decode_offsets(request.offsets);
  return request.line >= 0 && request.access.value() && request.lane_bytes > 0 &&
         request.lane_bytes <= kWidest && request.cost > 0 && request.cost <= kMostCost &&
         request.conflicts >= 0 && request.conflicts <= request.cost && offsets &&
         std::any_of(offsets->begin(), offsets->end(),
                     [](const auto& offset) { return offset.has_value(); });
}

void keep_inside(Inspection* inspection) {
  const auto classes = std::ssize(inspection->classes);
  const auto in_class = [&](std::optional<int64_t>* c) {
    if (*c && (**c < 0 || (classes > 0 && **c >= classes))) c->reset();
  };
  in_class(&inspection->label);
  in_class(&inspection->prediction);
  for (std::optional<int64_t>* place : {&inspection->input, &inspection->unit, &inspection->place})
    if (*place && **place < 0) place->reset();
  inspection->units = std::max<int64_t>(inspection->units, 0);
  inspection->inputs = std::max<int64_t>(inspection->inputs, 0);
  std::erase_if(inspection->lookers, [](int64_t unit) { return unit < 0; });
  for (double& score : inspection->scores)
    if (!std::isfinite(score)) score = 0;
}

}  // namespace ridge
