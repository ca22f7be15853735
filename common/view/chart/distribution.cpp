#include "common/view/chart/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/stats/stats.h"
#include "common/view/chart/decimate.h"

namespace ridge::chart {
namespace {

// More columns than the widest chart has pixels: thinning here loses nothing that could be seen,
// and a run of 10^6 samples does not become 10^6 marks.
constexpr int kColumns = 2400;

bool is_outlier(const Sample& sample) {
  return std::find(sample.flags.begin(), sample.flags.end(), "outlier") != sample.flags.end();
}

struct Range {
  double low = INFINITY, high = 0;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

std::vector<double> times_s(const Samples& samples) {
  std::vector<double> values;
  for (const Sample& sample : samples) {
    if (std::isfinite(sample.t_ns) && sample.t_ns > 0) values.push_back(sample.t_ns * 1e-9);
  }
  return values;
}

void add_dots(const Samples& samples, int row, const Range& range, bool grey,
              Panel* panel) {
  for (const bool outliers : {false, true}) {
    std::vector<Point> points;
    for (const Sample& sample : samples) {
      if (is_outlier(sample) != outliers || !(sample.t_ns > 0)) continue;
      const double spread = std::fmod(static_cast<double>(sample.index) * 0.6180339887, 1.0);
      points.push_back(
          {static_cast<float>(sample.t_ns * 1e-9), static_cast<float>(spread * 2 - 1)});
    }
    // One value alone has no range to be thinned over, and is one dot.
    const auto kept = range.low < range.high
                          ? decimate(points, static_cast<float>(range.low) * 0.999f,
                                     static_cast<float>(range.high) * 1.001f, kColumns)
                          : std::vector<Point>(points.begin(), points.begin() + !points.empty());
    for (const Point& point : kept) {
      Mark dot{.row = row,
               .value = point.x,
               .role = grey ? Role::baseline : Role::series0,
               .marker = outliers ? Marker::cross : Marker::dot};
      dot.quiet = true;
      dot.offset = point.y;
      panel->marks.push_back(dot);
    }
  }
}

void add_summary(const std::vector<double>& values, const DistributionRow& row, int index,
                 bool latency, Panel* panel) {
  const auto [low, median, high] = stats::quartiles(values);
  Mark box{.row = index, .value = high, .role = Role::muted};
  box.from = low;
  box.quiet = true;
  panel->marks.push_back(box);
  Mark mark{.row = index, .value = median, .role = Role::text, .marker = Marker::diamond};
  mark.label = "median " + format_time_ns(median * 1e9);  // it stands beyond the samples
  const Stats* stats = row.stats ? row.stats : row.series->stats ? &*row.series->stats : nullptr;
  if (!latency && stats && stats->ci_ns)
    mark.interval = Interval{stats->ci_ns->low * 1e-9, stats->ci_ns->high * 1e-9};
  mark.note = fmt::format("{}: median {} of {} samples, quartiles {} and {}", row.label,
                          format_time_ns(median * 1e9), values.size(),
                          format_time_ns(*box.from * 1e9), format_time_ns(box.value * 1e9));
  panel->marks.push_back(mark);
}

}  // namespace

ChartModel distribution_chart(std::span<const DistributionRow> rows, bool latency,
                              const std::string& title) {
  ChartModel model{.id = latency ? "latency" : "distribution", .title = title};
  Panel panel{.title = latency ? "Latency" : "Time per call",
              .subtitle = latency ? "single calls" : "every sample",
              .metric = latency ? "latency" : "time_per_call"};
  panel.axis = {.title = panel.title, .unit = "s", .scale = Scale::log};
  auto samples_of = [&](const DistributionRow& row) -> const Samples& {
    return latency ? row.series->latency_samples : row.series->samples;
  };
  Range range;
  for (const DistributionRow& row : rows) {
    if (!row.series) continue;
    for (const double value : times_s(samples_of(row))) range.add(value);
  }
  model.summary = fmt::format("Distribution of {} series.", rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const DistributionRow& row = rows[i];
    const int index = static_cast<int>(i);
    model.rows.push_back(
        {.label = row.label, .sublabel = row.sublabel, .is_baseline = row.is_baseline});
    const std::vector<double> values =
        row.series ? times_s(samples_of(row)) : std::vector<double>();
    panel.row_reasons.push_back(values.empty() ? "no samples" : "");
    if (values.empty()) continue;
    add_dots(samples_of(row), index, range, row.is_baseline, &panel);
    add_summary(values, row, index, latency, &panel);
    model.summary += " " + panel.marks.back().note + ".";
  }
  if (range.high > 0) {
    const double air = std::max(std::pow(range.high / range.low, 0.04), 1.002);
    panel.axis.low = range.low / air;
    panel.axis.high = range.high * air;
  } else {
    panel.empty_reason = "unavailable: no samples in this run";
  }
  model.panels = {panel};
  model.legend = {"dots: samples", "crosses: outliers, kept", "box: quartiles",
                  "diamond and whisker: median, 95 % interval"};
  return model;
}

}  // namespace ridge::chart
