#include "common/view/chart/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "common/core/format.h"
#include "common/record/params.h"
#include "common/record/seed_delta.h"
#include "common/record/stale_words.h"
#include "common/stats/stats.h"
#include "common/view/chart/xy_parts.h"

namespace ridge::chart {
namespace {

constexpr const char* kBatch = "batch";

/// A training by its looks at the metric, the end among them.
struct Looked {
  const LadderRow* row = nullptr;
  int index = 0;
  int64_t batch = 0;
  std::optional<double> best;
  std::optional<double> step, t_s;  ///< of the first look that saw the target
  double before = 1;                ///< the look before it; 1: none
};

struct BatchPoint {
  int64_t batch = 0;
  std::vector<Looked> seeds;
  size_t reached() const {
    return size_t(std::count_if(seeds.begin(), seeds.end(),
                                [](const Looked& one) { return one.step.has_value(); }));
  }
  bool is_whole() const { return reached() == seeds.size(); }
  double median(std::optional<double> Looked::*value) const {
    std::vector<double> values;
    for (const Looked& one : seeds) {
      if (one.*value) values.push_back(*(one.*value));
    }
    return stats::median(values);
  }
  Interval range() const {
    Interval range{INFINITY, 0};
    for (const Looked& one : seeds) {
      range.low = std::min(range.low, one.before);
      range.high = std::max(range.high, one.step.value_or(0));
    }
    return range;
  }
};

struct BatchLine {
  std::string label;
  const LadderRow* row = nullptr;
  Params params;  ///< without batch and seed
  std::map<int64_t, BatchPoint> points;
};

Params line_params(const Series& series) {
  Params params = without_seed(series.params);
  params.erase(kBatch);
  return params;
}

Looked looked_at(const LadderRow& row, int index, const std::string& metric,
                 const std::optional<double>& target) {
  const Series& series = *row.series;
  Looked looked{.row = &row, .index = index, .batch = param_int(series.params, kBatch)};
  const auto look = [&](double step, double t_s, double value) {
    if (!std::isfinite(value)) return;
    looked.best = std::max(looked.best.value_or(value), value);
    if (looked.step || !target) return;
    if (value >= *target)
      looked.step = step, looked.t_s = t_s;
    else
      looked.before = step;
  };
  for (const CurvePoint& point : series.curve) {
    const auto found = point.values.find(metric);
    if (found != point.values.end()) look(double(point.step), point.t_s, found->second);
  }
  const QualityCheck* check = series.quality();
  const auto end = check ? check->task.find(metric) : std::map<std::string, double>::iterator();
  if (check && end != check->task.end())
    look(double(series.curve.back().step), series.curve.back().t_s, end->second);
  return looked;
}

bool is_training_at_batch(const LadderRow& row) {
  return row.series && !row.series->curve.empty() && param_int(row.series->params, kBatch) > 0;
}

/// The rung's title, and what tells its lines apart.
void name_lines(std::vector<BatchLine>* lines) {
  for (BatchLine& line : *lines) {
    line.label = line.row->label.substr(0, line.row->label.find(" · "));
    for (const auto& param : line.params) {
      const bool differs = std::any_of(lines->begin(), lines->end(), [&](const BatchLine& other) {
        const auto found = other.params.find(param.first);
        return other.row->series->kernel == line.row->series->kernel &&
               (found == other.params.end() || found->second != param.second);
      });
      if (differs) line.label += " · " + param.first + " " + to_string(param.second);
    }
    if (!line.row->origin.empty()) line.label += ", " + line.row->origin;
    line.label = with_stale(line.label, line.row->series->stale);
  }
}

std::vector<BatchLine> lines_at_batches(std::span<const LadderRow> rows, const std::string& metric,
                                        const std::optional<double>& target) {
  std::vector<BatchLine> lines;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!is_training_at_batch(rows[i])) continue;
    const Looked looked = looked_at(rows[i], static_cast<int>(i), metric, target);
    if (!looked.best) continue;
    const Params params = line_params(*rows[i].series);
    auto line = std::find_if(lines.begin(), lines.end(), [&](const BatchLine& known) {
      return known.row->series->kernel == rows[i].series->kernel &&
             known.row->origin == rows[i].origin && known.params == params;
    });
    if (line == lines.end())
      line = lines.insert(lines.end(),
                          BatchLine{.label = {}, .row = &rows[i], .params = params, .points = {}});
    BatchPoint& point = line->points[looked.batch];
    point.batch = looked.batch;
    point.seeds.push_back(looked);
  }
  name_lines(&lines);
  return lines;
}

std::string number(double value) {
  return format_number(value, 4);
}

/// As a person writes it: 0.85.
std::string target_text(double target) {
  return fmt::format("{:.4g}", target);
}

// ---- the chart -----------------------------------------------------------------------------------

class BatchBuilder {
 public:
  BatchBuilder(std::span<const LadderRow> rows, const BatchOptions& options)
      : metric_(options.metric),
        target_(options.target ? options.target : usual_target(rows, options.metric)),
        lines_(lines_at_batches(rows, metric_, target_)) {}
  ChartModel build();

 private:
  std::string why_empty() const;
  void add_line(const BatchLine& line, size_t place);
  void add_table_row(const BatchLine& line, const BatchPoint& point);
  void add_same_images(const BatchLine& line);
  void set_axes();
  std::string sentence_of(const BatchLine& line) const;

  std::string metric_;
  std::optional<double> target_;
  std::vector<BatchLine> lines_;
  ChartModel model_{.id = "batch"};
};

std::string BatchBuilder::why_empty() const {
  std::set<int64_t> sizes;
  bool any_reached = false;
  std::optional<double> best;
  size_t most_sizes = 0;
  for (const BatchLine& line : lines_) {
    most_sizes = std::max(most_sizes, line.points.size());
    for (const auto& [batch, point] : line.points) {
      any_reached |= point.is_whole();
      for (const Looked& one : point.seeds) best = std::max(best.value_or(*one.best), *one.best);
    }
  }
  if (most_sizes < 2)
    return "This takes trainings that only their batch tells apart: train with another batch "
           "(Ctrl F5).";
  if (any_reached) return "";
  return fmt::format(
      "{} of {} was reached by none of these trainings at all of its seeds; the "
      "highest that was seen is {}.",
      metric_ == "accuracy" ? "An accuracy" : "A " + metric_, target_text(*target_), number(*best));
}

void BatchBuilder::add_table_row(const BatchLine& line, const BatchPoint& point) {
  const bool is_whole = point.is_whole();
  std::vector<double> bests;
  for (const Looked& one : point.seeds) bests.push_back(*one.best);
  const double step = is_whole ? point.median(&Looked::step) : 0;
  model_.table.rows.push_back(
      {line.label, format_count(double(point.batch)),
       is_whole ? format_count(step)
                : fmt::format("not reached by {} of {} seeds", point.seeds.size() - point.reached(),
                              point.seeds.size()),
       is_whole ? format_count(step * double(point.batch)) : kNone,
       is_whole ? format_time_ns(point.median(&Looked::t_s) * 1e9) : kNone,
       number(stats::median(bests))});
}

void BatchBuilder::add_line(const BatchLine& line, size_t place) {
  const parts::Look look =
      parts::look_of_rung(*line.points.begin()->second.seeds.front().row, place);
  Curve curve{.name = line.label, .role = look.role, .marker = look.marker, .line = true};
  // Another training of a rung before it.
  const auto& known = model_.plot->curves;
  curve.dashed = std::any_of(known.begin(), known.end(), [&](const Curve& other) {
    return other.role == look.role && other.marker == look.marker;
  });
  for (const auto& [batch, point] : line.points) {
    add_table_row(line, point);
    if (!point.is_whole()) continue;
    const Looked& first = point.seeds.front();
    const double step = point.median(&Looked::step);
    Datum datum{.x = double(batch), .y = step, .interval = point.range()};
    datum.hollow = !first.row->origin.empty();
    datum.strong = first.row->selected;
    datum.row = first.index;
    datum.value_text = format_count(step) + " steps";
    datum.note = fmt::format(
        "{}, batch {}: {} {} first seen after {} steps, {} images and {}{}; looked at before after "
        "{}.",
        line.label, format_count(double(batch)), metric_, target_text(*target_), format_count(step),
        format_count(step * double(batch)), format_time_ns(point.median(&Looked::t_s) * 1e9),
        point.seeds.size() > 1 ? fmt::format(", median of {} seeds", point.seeds.size()) : "",
        point.range().low > 1 ? format_count(point.range().low) : "none");
    curve.data.push_back(std::move(datum));
  }
  if (!curve.data.empty()) model_.plot->curves.push_back(std::move(curve));
}

/// Twice the batch, half the steps: where a line leaves it, larger batches waste images.
void BatchBuilder::add_same_images(const BatchLine& line) {
  const BatchPoint* first = nullptr;
  Curve same{.name = "as many images", .role = Role::text, .marker = Marker::none};
  same.line = same.dashed = same.quiet = true;
  for (const auto& [batch, point] : line.points) {
    if (!first && point.is_whole()) first = &point;
    if (!first) continue;
    const double images = first->median(&Looked::step) * double(first->batch);
    Datum datum{.x = double(batch), .y = images / double(batch)};
    datum.note = fmt::format("As many images as batch {} took: twice the batch, half the steps.",
                             format_count(double(first->batch)));
    same.data.push_back(std::move(datum));
  }
  if (same.data.size() > 1) model_.plot->curves.push_back(std::move(same));
}

std::string BatchBuilder::sentence_of(const BatchLine& line) const {
  const BatchPoint *first = nullptr, *last = nullptr;
  for (const auto& [batch, point] : line.points) {
    if (!point.is_whole()) continue;
    if (!first) first = &point;
    last = &point;
  }
  if (!first || first == last) return "";
  const double before = first->median(&Looked::step), after = last->median(&Looked::step);
  return fmt::format(" {}: batch {} → {}, {} → {} steps: {} the batch takes {} the steps.",
                     line.label, format_count(double(first->batch)),
                     format_count(double(last->batch)), format_count(before), format_count(after),
                     format_ratio(double(last->batch) / double(first->batch)),
                     format_ratio(after / before));
}

void BatchBuilder::set_axes() {
  parts::Span x, y;
  std::set<double> sizes;
  for (const Curve& curve : model_.plot->curves) {
    for (const Datum& datum : curve.data) {
      x.add(datum.x), y.add(datum.y);
      if (datum.interval) y.add(datum.interval->high), y.add(std::max(1.0, datum.interval->low));
      sizes.insert(datum.x);
    }
  }
  model_.plot->x = {.title = "Batch: images of a step", .unit = "", .scale = Scale::log};
  model_.plot->x.ticks.assign(sizes.begin(), sizes.end());
  model_.plot->y = {.title = fmt::format("Steps to {} {}", metric_, target_text(*target_)),
                    .unit = "",
                    .scale = Scale::log};
  x.apply(&model_.plot->x, 1.4, 1.6);
  y.apply(&model_.plot->y, 1.5, 1.5);
}

ChartModel BatchBuilder::build() {
  model_.plot = Plot{};
  model_.table.columns = {"Training", "Batch",   "Steps to the target",
                          "Images",   "Seconds", "Highest " + metric_};
  if (target_) model_.table.columns[2] = fmt::format("Steps to {}", target_text(*target_));
  const std::string reason = why_empty();
  if (!reason.empty()) {
    for (const BatchLine& line : lines_) {
      for (const auto& [batch, point] : line.points) add_table_row(line, point);
    }
    model_.plot->empty_reason = model_.summary = reason;
    return model_;
  }
  model_.summary =
      fmt::format("Steps to {} {} at each batch size.", metric_, target_text(*target_));
  const BatchLine* leads = nullptr;
  for (size_t i = 0; i < lines_.size(); ++i) {
    add_line(lines_[i], i);
    model_.summary += sentence_of(lines_[i]);
    const bool is_longer = !leads || lines_[i].points.size() > leads->points.size();
    if (lines_[i].row->selected ? !leads || !leads->row->selected : is_longer) leads = &lines_[i];
  }
  add_same_images(*leads);
  set_axes();
  model_.plot->name_ends = true;
  model_.legend.push_back(
      "A range reaches from the look before to the one that saw the target; dashed: twice the "
      "batch, half the steps");
  return model_;
}

}  // namespace

std::optional<double> usual_target(std::span<const LadderRow> rows, const std::string& metric) {
  std::vector<double> bests;
  for (const LadderRow& row : rows) {
    if (!is_training_at_batch(row)) continue;
    const Looked looked = looked_at(row, 0, metric, {});
    if (looked.best) bests.push_back(*looked.best);
  }
  if (bests.empty()) return std::nullopt;
  // Half of them reached what the one in the middle did; of an even number, the lower of both.
  std::sort(bests.begin(), bests.end());
  return std::floor(bests[(bests.size() - 1) / 2] * 100 + 1e-9) / 100;
}

ChartModel batch_chart(std::span<const LadderRow> rows, const BatchOptions& options) {
  return BatchBuilder(rows, options).build();
}

}  // namespace ridge::chart
