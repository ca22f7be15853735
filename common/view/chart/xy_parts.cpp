#include "common/view/chart/xy_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "common/core/format.h"
#include "common/record/params.h"

namespace ridge::chart::parts {
namespace {

struct Rate {
  std::optional<double> value;
  std::optional<Interval> ci;
};

Rate rate_of(const Entry& entry, Counted counted) {
  switch (counted) {
    case Counted::kFlop:
      return {entry.derived.flop_per_s, entry.derived.flop_per_s_ci};
    case Counted::kBytes:
      return {entry.derived.bytes_per_s, entry.derived.bytes_per_s_ci};
    case Counted::kItemTime:
      return {entry.item_s, entry.item_ci_s};
    case Counted::kCallTime:
      return {entry.call_s, entry.call_ci_s};
  }
  return {};
}

}  // namespace

std::vector<Measured> measured_rows(std::span<const LadderRow> rows, Counted counted,
                                    int* left_out) {
  std::vector<Measured> points;
  for (size_t i = 0; i < rows.size(); ++i) {
    Measured point{.entry = make_entry(rows[i]), .row = static_cast<int>(i)};
    const Rate rate = rate_of(point.entry, counted);
    if (!is_number(rate.value) || !(*rate.value > 0)) {  // none where there is a reason
      if (left_out && rows[i].series) ++*left_out;
      continue;
    }
    const Series& series = *rows[i].series;
    point.backend = backend_of(series.kernel);
    point.dtype = dtype_of(series);
    point.threads = static_cast<int>(param_int(series.params, "threads", 1));
    point.rate = *rate.value;
    point.rate_ci = rate.ci;
    point.size_text = ridge::size_text(series.params, series.size_param);
    points.push_back(std::move(point));
  }
  return points;
}

std::string why_no_flop(std::span<const LadderRow> rows) {
  bool any = false;
  for (const LadderRow& row : rows) {
    if (!row.series || !row.series->stats) continue;
    if (row.series->flop > 0) return {};
    any = true;
  }
  return any ? "Nothing that these rungs do is counted in FLOP: the ladder has their speed." : "";
}

int64_t size_of(const Measured& point) {
  const Series& series = *point.entry.series;
  return param_int(series.params, series.size_param);
}

namespace {

/// What a shape keeps when its size changes: "=" for a parameter that follows it, else its value.
std::string shape_of(const Measured& point) {
  std::string shape;
  for (const auto& [name, value] : point.entry.series->params) {
    if (name == point.entry.series->size_param || name == "threads" || name == "dtype") continue;
    const auto* number = std::get_if<int64_t>(&value);
    shape += name +
             (!number                     ? std::get<std::string>(value)
              : *number == size_of(point) ? "="
                                          : std::to_string(*number)) +
             " ";
  }
  return shape;
}

}  // namespace

std::vector<SizeLine> size_lines(const std::vector<Measured>& points) {
  struct Rung {
    size_t first;
    std::map<std::string, SizeLine> shapes;
  };
  auto key = [&](size_t index) {
    const Measured& point = points[index];
    const Series& series = *point.entry.series;
    const LadderRow& row = *point.entry.row;
    // Each recording of a machine has ceilings of its own.
    return std::tuple(series.kernel, point.dtype, point.threads, series.cache, series.stale,
                      row.origin, row.origin.empty() ? row.run : nullptr);
  };
  std::vector<Rung> rungs;
  for (size_t i = 0; i < points.size(); ++i) {
    auto known = std::find_if(rungs.begin(), rungs.end(),
                              [&](const Rung& rung) { return key(rung.first) == key(i); });
    if (known == rungs.end()) known = rungs.insert(rungs.end(), {i, {}});
    known->shapes[shape_of(points[i])].points.push_back(i);
  }
  std::vector<SizeLine> lines;
  for (Rung& rung : rungs) {
    size_t longest = 0;
    for (const auto& [shape, line] : rung.shapes) longest = std::max(longest, line.points.size());
    for (auto& [shape, line] : rung.shapes) {
      line.is_odd = line.points.size() == 1 && longest > 1;
      std::stable_sort(line.points.begin(), line.points.end(),
                       [&](size_t a, size_t b) { return size_of(points[a]) < size_of(points[b]); });
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

bool are_neighbours(double smaller, double larger) {
  constexpr double kNear = 1.05;
  return larger < smaller * kNear;
}

std::vector<SizeLine> apart(std::vector<SizeLine> lines, const std::vector<Measured>& points) {
  std::vector<SizeLine> beside;
  for (SizeLine& line : lines) {
    std::vector<size_t> kept;
    for (size_t index : line.points) {
      const bool is_near = !kept.empty() && size_of(points[index]) > size_of(points[kept.back()]) &&
                           are_neighbours(static_cast<double>(size_of(points[kept.back()])),
                                          static_cast<double>(size_of(points[index])));
      if (is_near) {
        if (!points[kept.back()].entry.row->at_size) std::swap(kept.back(), index);
        beside.push_back({.points = {index}, .is_beside = true});
      } else {
        kept.push_back(index);
      }
    }
    line.points = std::move(kept);
  }
  lines.insert(lines.end(), beside.begin(), beside.end());
  return lines;
}

std::optional<size_t> point_at_size(const std::vector<Measured>& points, const SizeLine& line) {
  const auto found = std::find_if(line.points.rbegin(), line.points.rend(),
                                  [&](size_t index) { return points[index].entry.row->at_size; });
  return found == line.points.rend() ? std::nullopt : std::optional(*found);
}

Look look_of_dtype(const std::string& dtype) {
  static const std::map<std::string, Look> kLooks = {
      {"fp32", {Role::series0, Marker::dot}},
      {"tf32", {Role::series3, Marker::triangle}},
      {"bf16", {Role::series2, Marker::square}},
      {"fp16", {Role::series1, Marker::diamond}},
      {"fp8", {Role::series4, Marker::dot}},
      {"int8", {Role::series1, Marker::triangle}},
      {"w8a8", {Role::series4, Marker::square}},
      {"int4", {Role::series3, Marker::diamond}},
      {"sparse", {Role::series2, Marker::diamond}},
      {"w8a8_fp8", {Role::series4, Marker::triangle}}};
  const auto found = kLooks.find(dtype);
  return found == kLooks.end() ? Look{Role::series3, Marker::diamond} : found->second;
}

Look look_of_rung(const LadderRow& row, size_t otherwise) {
  // They differ by colour first, then by shape.
  static constexpr Role kRoles[] = {Role::series0, Role::series2, Role::series1, Role::series3,
                                    Role::series4};
  static constexpr Marker kMarkers[] = {Marker::dot, Marker::triangle, Marker::diamond,
                                        Marker::square};
  const size_t index = row.place >= 0 ? static_cast<size_t>(row.place) : otherwise;
  Look look{
      kRoles[index % std::size(kRoles)],
      kMarkers[(index % std::size(kRoles) + index / std::size(kRoles)) % std::size(kMarkers)]};
  if (row.is_baseline || row.is_peer) look.role = Role::baseline;
  return look;
}

bool has_several_types(const std::vector<Measured>& points) {
  return std::any_of(points.begin(), points.end(),
                     [&](const Measured& point) { return point.dtype != points.front().dtype; });
}

std::string name_of(const Measured& point) {
  return point.entry.row->label + (point.entry.row->is_baseline ? " (baseline)" : "");
}

Curve curve_for(const Measured& point, bool by_type) {
  const LadderRow& row = *point.entry.row;
  Look look = look_of_rung(row, static_cast<size_t>(point.row));
  if (by_type) {
    const Look type = look_of_dtype(point.dtype);
    look.marker = type.marker;
    if (look.role != Role::baseline) look.role = type.role;
  }
  return {
      .name = name_of(point), .role = look.role, .marker = look.marker, .dashed = row.is_baseline};
}

Datum datum_for(const Measured& point, double x, double y) {
  Datum datum{.x = x, .y = y, .row = point.row};
  datum.hollow = point.entry.hatched;
  datum.strong = point.entry.row->selected && point.entry.row->at_size;
  return datum;
}

void put_legend(const std::vector<Measured>& points, bool by_dtype, ChartModel* model) {
  std::vector<std::string> dtypes;
  bool library = false, baseline = false, hollow = false, selected = false;
  for (const Measured& point : points) {
    if (std::find(dtypes.begin(), dtypes.end(), point.dtype) == dtypes.end()) {
      dtypes.push_back(point.dtype);
    }
    library = library || point.entry.row->is_peer;
    baseline = baseline || point.entry.row->is_baseline;
    hollow = hollow || point.entry.hatched;
    selected = selected || (point.entry.row->selected && point.entry.row->at_size);
  }
  for (const std::string& dtype : dtypes) {
    if (!by_dtype || dtypes.size() < 2) break;
    const Look look = look_of_dtype(dtype);
    model->keys.push_back({dtype, look.role, look.marker});
  }
  auto& legend = model->legend;
  if (library || baseline) {
    legend.push_back(!baseline  ? "grey: a library"
                     : !library ? "grey: the baseline"
                                : "grey: libraries and the baseline");
  }
  if (hollow) legend.push_back("hollow: recorded, another size or unfinished");
  if (selected) legend.push_back(kRingText);
}

void say_hovering(ChartModel* model) {
  constexpr size_t kMostNames = 8;  // more find no room everywhere
  size_t named = 0;
  for (const Curve& curve : model->plot->curves) {
    for (const Datum& datum : curve.data) named += !datum.label.empty();
  }
  if (named > kMostNames) model->legend.push_back("hovering names every point");
}

namespace {

size_t keep_processor_of(const LadderRow& anchor, std::vector<Measured>* points) {
  const OpenEnum<Backend> backend = backend_of(anchor.series->kernel);
  const Run* run = anchor.run;
  const std::string machine = anchor.origin;  // its recordings have measured ceilings each
  return std::erase_if(*points, [&](const Measured& point) {
    const LadderRow& row = *point.entry.row;
    const bool is_same = row.run == run || (!machine.empty() && row.origin == machine);
    return point.backend != backend || !is_same;
  });
}

}  // namespace

size_t keep_one_processor(std::vector<Measured>* points) {
  auto anchor = std::find_if(points->begin(), points->end(),
                             [](const Measured& point) { return point.entry.row->selected; });
  if (anchor == points->end()) anchor = points->begin();
  return anchor == points->end() ? 0 : keep_processor_of(*anchor->entry.row, points);
}

size_t keep_selected_processor(std::vector<Measured>* points, std::span<const LadderRow> rows) {
  const bool has_point = std::any_of(points->begin(), points->end(), [](const Measured& point) {
    return point.entry.row->selected;
  });
  const auto selected = std::find_if(
      rows.begin(), rows.end(), [](const LadderRow& row) { return row.selected && row.series; });
  if (has_point || selected == rows.end()) return keep_one_processor(points);
  return keep_processor_of(*selected, points);
}

void add_elsewhere(size_t count, ChartModel* model) {
  if (count == 0) return;
  model->legend.push_back(fmt::format("{} result{} of another processor: select one of its rungs",
                                      count, count == 1 ? "" : "s"));
}

void name_machine(const std::vector<Measured>& points, ChartModel* model) {
  const std::string& machine = points.front().entry.row->origin;
  if (!machine.empty()) model->subtitle = "recorded on " + machine;
}

void Span::add(double value) {
  if (!std::isfinite(value) || !(value > 0)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

void Span::apply(Axis* axis, double air_low, double air_high) const {
  if (empty()) return;
  axis->low = low / air_low;
  axis->high = high * air_high;
}

std::string interval_text(const Measured& point, const char* unit) {
  return point.rate_ci ? ", 95 % interval " + format_rate_interval(point.rate_ci, unit)
                       : ", no interval under 6 samples";
}

}  // namespace ridge::chart::parts
