#include "common/view/chart/ecdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/stats/stats.h"

namespace ridge::chart {
namespace {

constexpr double kRead[] = {0.05, 0.25, 0.5, 0.75, 0.95};

std::vector<double> sorted_s(const Series& series) {
  std::vector<double> values;
  for (const Sample& sample : series.samples) {
    if (std::isfinite(sample.t_ns) && sample.t_ns > 0) values.push_back(sample.t_ns * 1e-9);
  }
  std::sort(values.begin(), values.end());
  return values;
}

/// Steps: at each value the share goes up where it is. Of very many values those stay that a step of
/// 1 / kMost of the height tells apart.
Curve steps_of(const std::vector<double>& values, const std::string& name, int row) {
  constexpr size_t kMost = 4000;
  Curve curve{.name = name, .marker = Marker::none, .line = true};
  const size_t stride = std::max<size_t>(1, values.size() / kMost);
  const auto count = static_cast<double>(values.size());
  double share = 0;
  const auto add = [&](double x, double y) { curve.data.push_back({.x = x, .y = y, .row = row}); };
  for (size_t i = 0; i < values.size(); i += stride) {
    const size_t last = std::min(i + stride, values.size()) - 1;
    add(values[last], share);
    share = static_cast<double>(last + 1) / count;
    add(values[last], share);
  }
  return curve;
}

/// Points at the quantiles, to be hovered.
Curve quantiles_of(const std::vector<double>& values, const std::string& name, int row,
                   std::vector<std::string>* cells) {
  Curve curve{};
  for (const double share : kRead) {
    Datum datum{.x = stats::quantile(values, share), .y = share, .row = row};
    datum.value_text = format_time_ns(datum.x * 1e9);
    datum.note = fmt::format("{}: {} of the calls took {} or less.", name, format_share(share),
                             datum.value_text);
    datum.hollow = share != 0.5;
    cells->push_back(datum.value_text);
    curve.data.push_back(std::move(datum));
  }
  return curve;
}

}  // namespace

ChartModel ecdf_chart(std::span<const DistributionRow> rows, const std::string& title) {
  ChartModel model{.id = "ecdf", .title = title};
  model.plot = Plot{};
  Plot& plot = *model.plot;
  plot.x = {.title = "Time per call", .unit = "s", .scale = Scale::log, .low = INFINITY, .high = 0};
  plot.y = {.title = "Share of calls that took at most so long", .low = 0, .high = 1};
  plot.y.is_share = true;
  model.table.columns = {"Side", "5 %", "25 %", "50 %", "75 %", "95 %", "n"};
  for (size_t i = 0; i < rows.size(); ++i) {
    const DistributionRow& row = rows[i];
    const auto values = row.series ? sorted_s(*row.series) : std::vector<double>();
    if (values.empty()) {
      model.legend.push_back(row.label + ": no samples");
      continue;
    }
    plot.x.low = std::min(plot.x.low, values.front());
    plot.x.high = std::max(plot.x.high, values.back());
    const int index = static_cast<int>(i);
    std::vector<std::string> cells = {row.label};
    Curve steps = steps_of(values, row.label, index);
    Curve read = quantiles_of(values, row.label, index, &cells);
    steps.role = read.role = row.is_baseline ? Role::baseline : Role::series0;
    steps.dashed = row.is_baseline;
    read.marker = row.is_baseline ? Marker::square : Marker::dot;
    model.keys.push_back({row.label, steps.role, read.marker});
    model.summary += (model.summary.empty() ? "" : " ") + read.data[2].note;
    cells.push_back(std::to_string(values.size()));
    model.table.rows.push_back(std::move(cells));
    plot.curves.push_back(std::move(steps));
    plot.curves.push_back(std::move(read));
  }
  if (plot.curves.empty()) {
    plot.empty_reason = "unavailable: no samples in this run";
    model.summary = plot.empty_reason;
    return model;
  }
  const double air = std::max(std::pow(plot.x.high / plot.x.low, 0.04), 1.002);
  plot.x.low /= air, plot.x.high *= air;
  for (Curve& curve : plot.curves) {  // from none to all, over the whole width
    if (!curve.line) continue;
    curve.data.insert(curve.data.begin(), {.x = plot.x.low, .y = 0, .row = curve.data[0].row});
    curve.data.push_back({.x = plot.x.high, .y = 1, .row = curve.data[0].row});
  }
  model.legend.push_back("marks: 5, 25, 50, 75 and 95 %, the median filled");
  return model;
}

}  // namespace ridge::chart
