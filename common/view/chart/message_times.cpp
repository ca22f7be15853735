#include "common/view/chart/message_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "common/core/format.h"
#include "common/record/params.h"
#include "common/stats/line_fit.h"
#include "common/view/chart/xy_parts.h"

namespace ridge::chart {
namespace {

using namespace parts;

/// Of a fitted line: enough for its bend.
constexpr int kSteps = 48;
/// Two sizes lie on a line whatever they are: the third says whether a delay and a rate fit.
constexpr size_t kLeastSizes = 3;

/// The calls of collectives.
std::vector<Measured> calls_of(std::span<const LadderRow> rows) {
  std::vector<Measured> points = measured_rows(rows, Counted::kCallTime);
  std::erase_if(points, [](const Measured& point) {
    return !point.entry.series->params.contains("delay_us") || size_of(point) < 1;
  });
  return points;
}

/// "1.25 ms + 1.60 ms/MB"
std::string line_text(const stats::Line& line) {
  return fmt::format("{} + {}/MB", format_time_ns(1e9 * line.at_zero),
                     format_time_ns(1e9 * 1e6 * line.slope));
}

std::optional<stats::Line> line_through(const std::vector<Measured>& points, const SizeLine& line) {
  if (line.points.size() < kLeastSizes) return {};
  std::vector<stats::Point> measured;
  for (const size_t index : line.points)
    measured.push_back({static_cast<double>(size_of(points[index])), points[index].rate});
  return stats::fit_line(measured);
}

/// `said`: of the line, in words.
Curve fitted_curve(const stats::Line& line, double low, double high, const Curve& like,
                   const std::string& said) {
  Curve curve{.role = like.role, .marker = Marker::none, .line = true, .dashed = true};
  for (int i = 0; i <= kSteps; ++i) {
    const double x = low * std::pow(high / low, double(i) / kSteps);
    curve.data.push_back({.x = x, .y = line.at(x), .note = said});
  }
  return curve;
}

void add_rung(const std::vector<Measured>& points, const SizeLine& line, Curve curve,
              ChartModel* model, Span* y) {
  const auto& ticks = model->plot->x.ticks;
  std::vector<std::string> cells(model->table.columns.size(), kNone);
  cells[0] = curve.name;
  for (const size_t index : line.points) {
    const Measured& point = points[index];
    const auto size = static_cast<double>(size_of(point));
    Datum datum = datum_for(point, size, point.rate);
    datum.interval = point.rate_ci;
    datum.value_text = format_time_ns(1e9 * point.rate);
    datum.note = with_how(fmt::format("{} at {}: {} per call", curve.name, point.size_text,
                                      datum.value_text),
                          point.entry) +
                 ".";
    model->summary += " " + datum.note;
    y->add(point.rate);
    cells[static_cast<size_t>(std::find(ticks.begin(), ticks.end(), size) - ticks.begin()) + 1] =
        datum.value_text;
    curve.data.push_back(std::move(datum));
  }
  const auto fitted = line_through(points, line);
  if (fitted) {
    cells.back() = line_text(*fitted);
    model->summary += fmt::format(" {} fits {}.", curve.name, cells.back());
    const auto stale = std::find_if(line.points.begin(), line.points.end(), [&](size_t index) {
      return points[index].entry.series->stale;
    });
    const size_t judged = stale == line.points.end() ? line.points.front() : *stale;
    const std::string said = with_how("Fitted: " + cells.back(), points[judged].entry) + ".";
    model->plot->curves.push_back(
        fitted_curve(*fitted, curve.data.front().x, curve.data.back().x, curve, said));
    for (const Datum& datum : model->plot->curves.back().data) y->add(datum.y);
  }
  model->table.rows.push_back(std::move(cells));
  model->plot->curves.push_back(std::move(curve));
}

void set_axes(const std::vector<Measured>& points, ChartModel* model) {
  std::set<double> sizes;
  for (const Measured& point : points) sizes.insert(static_cast<double>(size_of(point)));
  Plot& plot = *model->plot;
  plot.name_ends = true;
  plot.x = {.title = "Bytes of a rank", .scale = Scale::log};
  plot.x.ticks.assign(sizes.begin(), sizes.end());
  plot.x.low = *sizes.begin() / 1.15, plot.x.high = *sizes.rbegin() * 1.15;
  plot.y = {.title = "Time per call", .unit = "s", .scale = Scale::log};
  model->table.columns = {"Rung"};
  for (const double size : sizes) model->table.columns.push_back(format_count(size) + " B");
  model->table.columns.push_back("Fitted");
}

}  // namespace

ChartModel message_times_chart(std::span<const LadderRow> all) {
  const std::vector<LadderRow> rows = with_marks(all);
  std::vector<Measured> points = calls_of(rows);
  const size_t elsewhere = keep_one_processor(&points);
  ChartModel model{.id = "messages", .title = "Time against bytes"};
  model.plot = Plot{};
  if (points.empty()) {
    model.plot->empty_reason = model.summary =
        "No collective has a verified time at any size yet: sweep the ladder.";
    return model;
  }
  name_machine(points, &model);
  set_axes(points, &model);
  model.summary =
      "Time per call against the bytes of a rank; from three sizes on with fitted lines.";
  Span y;
  for (const SizeLine& line : size_lines(points)) {
    Curve curve = curve_for(points[line.points.front()]);
    curve.line = false;
    add_rung(points, line, std::move(curve), &model, &y);
  }
  y.apply(&model.plot->y, 1.5, 1.5);
  const bool has_line =
      std::any_of(model.table.rows.begin(), model.table.rows.end(),
                  [](const std::vector<std::string>& cells) { return cells.back() != kNone; });
  model.legend.push_back(
      has_line ? "dashed: a delay and a time for each byte, fitted to the points"
               : "a rung at three sizes has a fitted line: a delay and a time for each byte");
  add_elsewhere(elsewhere, &model);
  return model;
}

}  // namespace ridge::chart
