#include "common/view/chart/speed_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "common/core/format.h"
#include "common/view/chart/xy_parts.h"

namespace ridge::chart {
namespace {

using namespace parts;

/// More gates than this could not be told apart (fp32's grows with the size): then their range.
constexpr size_t kMostGates = 4;

double error_of(const Measured& point) {
  return point.entry.series->quality()->nmse;
}

std::string error_text(double nmse) {
  return nmse > 0 ? "NMSE " + format_scientific(nmse) : "exact, NMSE 0";
}

void add_gates(const std::vector<Measured>& points, Plot* plot, Span* x) {
  std::map<double, std::set<std::string>> gates;  // the types each limit is for
  for (const Measured& point : points) {
    const double limit = point.entry.series->quality()->nmse_limit;
    if (limit > 0) gates[limit].insert(point.dtype);
  }
  for (const auto& [limit, types] : gates) {
    x->add(limit);
    const bool is_end = limit == gates.begin()->first || limit == gates.rbegin()->first;
    if (gates.size() > kMostGates && !is_end) continue;
    std::string names;
    for (const std::string& type : types) names += (names.empty() ? "" : ", ") + type;
    Guide gate{.kind = Guide::Kind::vertical, .value = limit, .role = Role::limit};
    gate.dashed = true;
    gate.label = "gate " + names + " " + format_scientific(limit);
    gate.note = fmt::format("Gate of {}: right of NMSE {} a rung has no speed.", names,
                            format_scientific(limit));
    plot->guides.push_back(gate);
  }
  if (gates.size() > kMostGates) {
    plot->x_bands.push_back({gates.begin()->first, gates.rbegin()->first, "gates"});
  }
}

std::string error_note(const Measured& point) {
  const QualityCheck& check = *point.entry.series->quality();
  std::string note = fmt::format(
      "{}{}{}: {} at {}", point.entry.row->label, point.size_text.empty() ? "" : ", ",
      point.size_text, format_rate(point.rate, rate_unit(point.dtype)), error_text(check.nmse));
  if (check.nmse_limit > 0) note += ", limit " + format_scientific(check.nmse_limit);
  return with_how(note + interval_text(point, rate_unit(point.dtype)), point.entry) + ".";
}

void add_rungs(const std::vector<Measured>& points, double left_edge, ChartModel* model) {
  const bool by_type = has_several_types(points);
  for (const SizeLine& line : size_lines(points)) {
    Curve curve = curve_for(points[line.points.front()], by_type);
    curve.line = line.points.size() > 1;
    for (const size_t index : line.points) {
      const Measured& point = points[index];
      const double nmse = error_of(point);
      Datum datum = datum_for(point, nmse > 0 ? nmse : left_edge, point.rate);
      datum.interval = point.rate_ci;
      const bool is_last = index == line.points.back();
      if (is_last && !line.is_odd) datum.label = curve.name + (nmse > 0 ? "" : ", exact");
      datum.strong = datum.strong && is_last && !line.is_odd;
      datum.value_text = format_rate(point.rate, rate_unit(point.dtype)) + ", " + error_text(nmse);
      datum.note = error_note(point);
      model->summary += " " + datum.note;
      const double limit = point.entry.series->quality()->nmse_limit;
      model->table.rows.push_back({curve.name, point.size_text, point.dtype,
                                   format_rate(point.rate, rate_unit(point.dtype)),
                                   format_scientific(nmse),
                                   limit > 0 ? format_scientific(limit) : "exact"});
      curve.data.push_back(std::move(datum));
    }
    model->plot->curves.push_back(std::move(curve));
  }
}

}  // namespace

ChartModel speed_error_chart(std::span<const LadderRow> all, const std::string& title,
                             const std::string& task_metric) {
  const std::vector<LadderRow> rows = with_marks(all);
  ChartModel model{.id = "error", .title = title};
  model.plot = Plot{};
  Plot& plot = *model.plot;
  model.table.columns = {"Rung", "Size", "Type", "Rate", "NMSE", "Limit"};
  int failed = 0;
  for (const LadderRow& row : rows) failed += row.series && make_entry(row).failed;
  std::vector<Measured> points = measured_rows(rows, Counted::kFlop);
  std::erase_if(points, [&](const Measured& point) {
    return !std::isfinite(error_of(point)) || error_of(point) < 0 ||
           is_judged_by(*point.entry.series->quality(), task_metric);
  });
  const size_t elsewhere = keep_one_processor(&points);
  if (points.empty()) {
    plot.empty_reason = "No rung here has both a verified speed and an error yet: run the ladder.";
    model.summary = plot.empty_reason;
    return model;
  }
  Span x, y;
  bool any_exact = false;
  for (const Measured& point : points) {
    x.add(error_of(point));
    y.add(point.rate);
    any_exact = any_exact || error_of(point) == 0;
  }
  add_gates(points, &plot, &x);
  if (x.empty()) x.add(1e-16);  // all exact, no gate: any axis will do
  plot.x = {.title = "Error against float64, NMSE", .scale = Scale::log, .scientific = true};
  plot.y = {.title = "Rate", .unit = "FLOP/s", .scale = Scale::log};
  x.apply(&plot.x, any_exact ? 1000 : 10, 10);
  y.apply(&plot.y, 2, 2);
  model.summary = fmt::format("Speed against error, {} points.", points.size());
  for (const Guide& guide : plot.guides) model.summary += " " + guide.note;
  add_rungs(points, plot.x.low * 1.6, &model);
  put_legend(points, true, &model);
  say_hovering(&model);
  if (any_exact) model.legend.push_back("at the left edge: exact");
  if (failed > 0) {
    model.legend.push_back(
        fmt::format("{} failed the check and ha{} no speed", failed, failed == 1 ? "s" : "ve"));
  }
  add_elsewhere(elsewhere, &model);
  return model;
}

}  // namespace ridge::chart
