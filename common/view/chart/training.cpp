#include "common/view/chart/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/core/format.h"
#include "common/view/chart/xy_parts.h"

namespace ridge::chart {
namespace {

using namespace parts;

/// Single batches scatter by a few per cent: so many means make a line that can be followed.
constexpr size_t kMeans = 64;

struct Reading {
  double step = 0, t_s = 0, value = 0;
};

std::vector<Reading> readings(const Series& series, const std::string& name) {
  std::vector<Reading> all;
  for (const CurvePoint& point : series.curve) {
    const auto found = point.values.find(name);
    if (found == point.values.end() || !std::isfinite(found->second)) continue;
    all.push_back({static_cast<double>(point.step), point.t_s, found->second});
  }
  return all;
}

/// At the end of each run of steps: the mean over it.
std::vector<Reading> means(const std::vector<Reading>& all, size_t run) {
  std::vector<Reading> out;
  for (size_t first = 0; first < all.size(); first += run) {
    const size_t end = std::min(first + run, all.size());
    Reading mean = all[end - 1];
    mean.value = 0;
    for (size_t i = first; i < end; ++i) mean.value += all[i].value / double(end - first);
    out.push_back(mean);
  }
  return out;
}

std::optional<double> final_metric(const Series& series, const std::string& metric) {
  const QualityCheck* check = series.quality();
  if (!check || !check->task.contains(metric)) return {};
  const double value = check->task.at(metric);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string value_text(double value) {
  return format_number(value, 4);
}

struct Lines {
  const LadderRow* row = nullptr;
  int index = 0;
  std::vector<Reading> judged, batches;
  size_t run = 1;                ///< steps that a mean is over
  bool is_at_each_step = false;  ///< judged: at every step, so that it is means too
  std::optional<double> end;     ///< judged after the last step
};

Lines lines_of(const LadderRow& row, int index, const std::string& metric) {
  const Series& series = *row.series;
  Lines lines{.row = &row, .index = index, .judged = readings(series, metric)};
  lines.batches = readings(series, "batch_" + metric);
  lines.run = std::max<size_t>(1, series.curve.size() / kMeans);
  lines.is_at_each_step = !lines.judged.empty() && lines.judged.size() == series.curve.size();
  if (lines.is_at_each_step) lines.judged = means(lines.judged, lines.run);
  lines.batches = means(lines.batches, lines.run);
  lines.end = final_metric(series, metric);
  if (lines.end) {
    const CurvePoint& last = series.curve.back();
    lines.judged.push_back({static_cast<double>(last.step), last.t_s, *lines.end});
  }
  return lines;
}

std::string at_text(const Reading& reading) {
  return fmt::format("after {} steps and {} of training", format_count(reading.step),
                     format_time_ns(reading.t_s * 1e9));
}

class Builder {
 public:
  Builder(std::span<const LadderRow> rows, const TrainingOptions& options);
  ChartModel build();

 private:
  void add_curves(const Lines& lines, size_t place);
  Curve curve_of(const Lines& lines, const std::vector<Reading>& readings,
                 const std::string& what) const;
  void add_row(const Lines& lines, const std::optional<double>& target);
  void set_axes();
  void add_baseline();
  std::optional<double> reached_by_all() const;

  std::span<const LadderRow> rows_;
  TrainingOptions options_;
  std::vector<Lines> lines_;
  ChartModel model_{.id = "training"};
  double x_high_ = 0, y_low_ = INFINITY, y_high_ = -INFINITY;
};

Builder::Builder(std::span<const LadderRow> rows, const TrainingOptions& options)
    : rows_(rows), options_(options) {
  model_.title = options.title;
  model_.plot = Plot{};
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].series || rows[i].series->curve.empty()) continue;
    Lines lines = lines_of(rows[i], static_cast<int>(i), options.metric);
    if (!lines.judged.empty() || !lines.batches.empty()) lines_.push_back(std::move(lines));
  }
}

Curve Builder::curve_of(const Lines& lines, const std::vector<Reading>& readings,
                        const std::string& what) const {
  Curve curve{.marker = Marker::none, .line = true};
  for (const Reading& reading : readings) {
    Datum datum{.x = options_.by_step ? reading.step : reading.t_s, .y = reading.value};
    datum.row = lines.index;
    datum.value_text = options_.metric + " " + value_text(reading.value);
    datum.note = fmt::format("{}: {} {}, {} {}.", lines.row->label, options_.metric,
                             value_text(reading.value), what, at_text(reading));
    curve.data.push_back(std::move(datum));
  }
  return curve;
}

/// Lines differ by colour first, then by shape.
void set_curve_look(size_t place, Curve* curve) {
  static constexpr Role kRoles[] = {Role::series0, Role::series2, Role::series1, Role::series3,
                                    Role::series4};
  static constexpr Marker kMarkers[] = {Marker::dot, Marker::triangle, Marker::diamond,
                                        Marker::square};
  curve->role = kRoles[place % std::size(kRoles)];
  if (!curve->quiet) curve->marker = kMarkers[place % std::size(kMarkers)];
  curve->dashed = place / std::size(kRoles) % 2 == 1;
}

void Builder::add_curves(const Lines& lines, size_t place) {
  const Series& series = *lines.row->series;
  const std::string over =
      lines.run > 1 ? fmt::format("mean of {} steps,", lines.run) : "one step,";
  if (!lines.batches.empty()) {
    Curve batches = curve_of(lines, lines.batches, "of the batches, " + over);
    batches.quiet = !lines.judged.empty();
    set_curve_look(place, &batches);
    batches.marker = Marker::none;
    if (!batches.quiet) batches.name = lines.row->label;
    model_.plot->curves.push_back(std::move(batches));
  }
  if (lines.judged.empty()) return;
  const QualityCheck* check = series.quality();
  const std::string judge = check && !check->what.empty() ? check->what + "," : "judged";
  Curve judged = curve_of(lines, lines.judged, lines.is_at_each_step ? over : judge);
  set_curve_look(place, &judged);
  if (lines.is_at_each_step) judged.marker = Marker::none;
  judged.name = lines.row->label;
  judged.data.back().strong = lines.row->selected;
  judged.data.back().hollow = !lines.row->origin.empty() ||
                              series.status == SeriesStatus::partial ||
                              series.status == SeriesStatus::cancelled;
  model_.plot->curves.push_back(std::move(judged));
}

/// What the least of several got to in the end; none for one alone.
std::optional<double> Builder::reached_by_all() const {
  std::optional<double> least;
  int count = 0;
  for (const Lines& lines : lines_) {
    if (!lines.end) continue;
    least = std::min(least.value_or(*lines.end), *lines.end);
    ++count;
  }
  return count > 1 ? least : std::nullopt;
}

void Builder::add_row(const Lines& lines, const std::optional<double>& target) {
  const CurvePoint& last = lines.row->series->curve.back();
  const Reading end{static_cast<double>(last.step), last.t_s, 0};
  const std::string value = lines.end               ? value_text(*lines.end)
                            : !lines.judged.empty() ? value_text(lines.judged.back().value)
                                                    : value_text(lines.batches.back().value);
  std::vector<std::string> cells = {lines.row->label, format_count(end.step),
                                    format_time_ns(end.t_s * 1e9), value};
  std::string sentence =
      fmt::format(" {}: {} {} {}", lines.row->label, options_.metric, value, at_text(end));
  if (target) {
    const auto first = std::find_if(lines.judged.begin(), lines.judged.end(),
                                    [&](const Reading& r) { return r.value >= *target; });
    cells.push_back(first == lines.judged.end() ? kNone : format_time_ns(first->t_s * 1e9));
    if (first != lines.judged.end()) {
      sentence += fmt::format(", {} first seen after {}", value_text(*target), cells.back());
    }
  }
  model_.table.rows.push_back(std::move(cells));
  model_.summary += sentence + ".";
}

void Builder::add_baseline() {
  for (const LadderRow& row : rows_) {
    if (!row.is_baseline || !row.series || !row.series->curve.empty()) continue;
    const auto value = final_metric(*row.series, options_.metric);
    if (!value || !row.series->quality_passed()) continue;
    Guide guide{.value = *value, .label = row.label + " " + value_text(*value)};
    guide.note =
        fmt::format("Baseline, {}: {} {}.", row.label, options_.metric, value_text(*value));
    guide.role = Role::baseline;
    guide.dashed = true;
    model_.plot->guides.push_back(std::move(guide));
  }
}

void Builder::set_axes() {
  Plot& plot = *model_.plot;
  for (const Curve& curve : plot.curves) {
    for (const Datum& datum : curve.data) {
      x_high_ = std::max(x_high_, datum.x);
      y_low_ = std::min(y_low_, datum.y);
      y_high_ = std::max(y_high_, datum.y);
    }
  }
  for (const Guide& guide : plot.guides) {
    y_low_ = std::min(y_low_, guide.value);
    y_high_ = std::max(y_high_, guide.value);
  }
  const double air = std::max((y_high_ - y_low_) * 0.06, 1e-6);
  plot.x = {.title = options_.by_step ? "Steps" : "Training time",
            .unit = options_.by_step ? "" : "s"};
  plot.x.high = x_high_ > 0 ? x_high_ * 1.02 : 1;
  std::string title = options_.metric;
  if (!title.empty()) title[0] = static_cast<char>(std::toupper(title[0]));
  plot.y = {.title = title, .low = y_low_ - air, .high = y_high_ + air};
  plot.name_ends = true;
}

ChartModel Builder::build() {
  if (lines_.empty()) {
    model_.plot->empty_reason = "No training here has a curve of its " + options_.metric +
                                " yet: select a training rung and run it (Ctrl F5).";
    model_.summary = model_.plot->empty_reason;
    return std::move(model_);
  }
  const auto target = reached_by_all();
  model_.table.columns = {"Training", "Steps", "Training time", options_.metric};
  if (target) model_.table.columns.push_back("Time to " + value_text(*target));
  model_.summary =
      fmt::format("Training curves, {} training{}.", lines_.size(), lines_.size() == 1 ? "" : "s");
  bool any_pale = false, any_judged = false, any_hollow = false, any_strong = false;
  for (size_t i = 0; i < lines_.size(); ++i) {
    add_curves(lines_[i], i);
    add_row(lines_[i], target);
    any_pale = any_pale || (!lines_[i].batches.empty() && !lines_[i].judged.empty());
    any_judged = any_judged || (!lines_[i].judged.empty() && !lines_[i].is_at_each_step);
    any_strong = any_strong || (lines_[i].row->selected && !lines_[i].judged.empty());
  }
  for (const Curve& curve : model_.plot->curves) {
    any_hollow = any_hollow || (!curve.data.empty() && curve.data.back().hollow);
  }
  add_baseline();
  set_axes();
  if (any_judged) model_.legend.push_back("marks: judged on data held out");
  if (any_pale) model_.legend.push_back("pale: mean of its batches");
  if (any_hollow) model_.legend.push_back("hollow: recorded or unfinished");
  if (any_strong) model_.legend.push_back("ring: selected");
  return std::move(model_);
}

}  // namespace

ChartModel training_chart(std::span<const LadderRow> all, const TrainingOptions& options) {
  const std::vector<LadderRow> rows = with_marks(all);
  return Builder(rows, options).build();
}

}  // namespace ridge::chart
