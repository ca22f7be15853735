#include "common/view/chart/memory_end.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/core/format.h"
#include "common/record/params.h"
#include "common/view/chart/size_curve.h"

namespace ridge::chart {

bool did_not_fit(const Series& series) {
  return !series.stats && series.memory_bytes > 0 && series.samples.empty() &&
         !series.reason.empty();
}

namespace parts {
namespace {

constexpr double kMostGrowth = 1024;  // of a size, beyond the largest that was run

/// What three sizes say of any other (Newton's divided differences).
struct Growth {
  double x[3], y[3];
  double at(double size) const {
    const double first = (y[1] - y[0]) / (x[1] - x[0]), second = (y[2] - y[1]) / (x[2] - x[1]);
    const double bend = (second - first) / (x[2] - x[0]);
    return y[0] + (size - x[0]) * (first + (size - x[1]) * bend);
  }
};

/// Of a line's three largest sizes; none: it has fewer.
std::optional<Growth> growth_of(const std::vector<Measured>& points, const SizeLine& line) {
  if (line.points.size() < 3) return {};
  Growth growth{};
  for (size_t i = 0; i < 3; ++i) {
    const Measured& point = points[line.points[line.points.size() - 3 + i]];
    growth.x[i] = static_cast<double>(size_of(point)), growth.y[i] = point.rate;
  }
  const bool rises = growth.x[0] < growth.x[1] && growth.x[1] < growth.x[2];
  return rises ? std::optional(growth) : std::nullopt;
}

/// The first doubling of the largest size at which the memory is not enough; 0: none within reach.
double first_too_large(const Growth& growth, double machine_bytes) {
  for (double size = growth.x[2]; size <= growth.x[2] * kMostGrowth; size *= 2)
    if (growth.at(size) > machine_bytes) return size;
  return 0;
}

/// Where the picture ends: a doubling beyond the first line that meets the guide; 0: none does.
double end_of(const std::vector<Measured>& points, const std::vector<SizeLine>& lines,
              double machine_bytes) {
  double end = 0;
  for (const SizeLine& line : lines) {
    const auto growth = growth_of(points, line);
    const double size = growth ? first_too_large(*growth, machine_bytes) : 0;
    if (size > 0 && (end == 0 || 2 * size < end)) end = 2 * size;
  }
  return end;
}

Curve continued(const Curve& drawn, const std::string& rung, const Growth& growth, double end,
                Plot* plot, Span* y) {
  Curve more{.name = "", .role = drawn.role, .marker = drawn.marker};
  more.line = more.dashed = more.quiet = true;
  for (double size = growth.x[2]; size <= end; size *= 2) {
    Datum datum{.x = size, .y = growth.at(size), .hollow = true};
    datum.value_text = format_bytes(datum.y);
    datum.note = fmt::format("{} at {} would take {}: reckoned from three sizes that ran.", rung,
                             format_count(size), datum.value_text);
    y->add(datum.y);
    more.data.push_back(std::move(datum));
    plot->x.high = std::max(plot->x.high, size * 1.15);
    auto& ticks = plot->x.ticks;
    if (std::find(ticks.begin(), ticks.end(), size) == ticks.end()) ticks.push_back(size);
  }
  return more;
}

}  // namespace

std::vector<Measured> memory_points(std::span<const LadderRow> rows) {
  std::vector<Measured> points;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Series* series = rows[i].series;
    if (!series || !(series->memory_bytes > 0)) continue;
    Measured point{.entry = make_entry(rows[i]), .row = static_cast<int>(i)};
    if (!point.entry.reason.empty() && !did_not_fit(*series)) continue;
    point.backend = backend_of(series->kernel);
    point.dtype = dtype_of(*series);
    point.threads = static_cast<int>(param_int(series->params, "threads", 1));
    point.rate = series->memory_bytes;
    point.size_text = ridge::size_text(series->params, series->size_param);
    points.push_back(std::move(point));
  }
  return points;
}

void continue_to(double machine_bytes, const std::vector<Measured>& points,
                 const std::vector<SizeLine>& lines, ChartModel* model, Span* y) {
  const double end = machine_bytes > 0 ? end_of(points, lines, machine_bytes) : 0;
  if (end == 0) return;
  Plot& plot = *model->plot;
  Guide guide{.kind = Guide::Kind::horizontal, .value = machine_bytes};
  guide.label = "all memory " + format_bytes(machine_bytes);
  guide.note = "What the machine has in all: " + format_bytes(machine_bytes) + ".";
  guide.role = Role::limit, guide.dashed = true;
  plot.guides.push_back(guide);
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto growth = growth_of(points, lines[i]);
    if (!growth || growth->x[2] >= end) continue;
    // The line itself has no name where many cross.
    const LadderRow& first = *points[lines[i].points.front()].entry.row;
    const std::string& drawn = plot.curves[i].name;
    const std::string name = drawn.empty() ? first.label : drawn;
    plot.curves.push_back(continued(plot.curves[i], name, *growth, end, &plot, y));
    const double size = first_too_large(*growth, machine_bytes);
    if (size == 0 || size > end) continue;
    const std::string& param = points[lines[i].points.front()].entry.series->size_param;
    model->summary += fmt::format(" {} no longer fits into {} at {} = {}: it would take {}.", name,
                                  format_bytes(machine_bytes), param, format_count(size),
                                  format_bytes(growth->at(size)));
    model->legend.push_back(fmt::format("{}: no room from {} on", name, format_count(size)));
  }
  model->legend.push_back("dashed: reckoned from three sizes that ran");
}

}  // namespace parts
}  // namespace ridge::chart
