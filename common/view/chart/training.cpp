#include "common/view/chart/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "common/core/format.h"
#include "common/stats/stats.h"
#include "common/view/chart/xy_parts.h"

namespace ridge::chart {
namespace {

using namespace parts;

/// Single batches scatter by a few per cent: so many means make a line that can be followed.
constexpr size_t kMeans = 64;
/// The slowest training over the quickest: from here on their seconds are on a logarithmic axis.
constexpr double kLogFrom = 4;
/// This share of the steps may reach beyond the axis, where the rest has so many times the room then.
constexpr double kFirstSteps = 0.1, kCutFrom = 2;

/// Of more trainings than these only the selected one shows what its batches said: nine such lines hide all the others.
constexpr size_t kMostPale = 3;
/// Of more than these the selected one, the baseline, the ladder's first, and those that end best, least and soonest stand
/// in front; the others are thin and pale, without the band of their seeds.
constexpr size_t kMostInFront = 5;
/// From here on the first step is left out of the seconds.
constexpr int64_t kManySteps = 20;

struct Reading {
  double step = 0, t_s = 0, value = 0;
  std::optional<Interval> seeds{};  ///< of several trainings the least and the greatest
};

/// What the first step took: libraries load in it, graphs are captured, pages faulted, and whichever training comes first
/// pays for the others. 0: there are too few steps to leave one out.
double first_step_s(const Series& series) {
  const std::vector<CurvePoint>& curve = series.curve;
  const bool has_many = static_cast<int64_t>(curve.size()) >= kManySteps && curve.front().step == 1;
  return has_many ? curve.front().t_s : 0;
}

/// Their seconds begin where the first step ends.
std::vector<Reading> readings(const Series& series, const std::string& name) {
  const double begin_s = first_step_s(series);
  std::vector<Reading> all;
  for (const CurvePoint& point : series.curve) {
    const auto found = point.values.find(name);
    if (found == point.values.end() || !std::isfinite(found->second)) continue;
    all.push_back({static_cast<double>(point.step), point.t_s - begin_s, found->second});
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
  const LadderRow* row = nullptr;  ///< of several seeds the first
  int index = 0;
  std::vector<Reading> judged, batches;
  size_t run = 1;                ///< steps that a mean is over
  bool is_at_each_step = false;  ///< judged: at every step, so that it is means too
  std::optional<double> end;     ///< judged after the last step
  size_t seeds = 1;
  bool is_hollow = false;    ///< recorded, or not trained to its end
  bool is_selected = false;  ///< any of its seeds
  bool is_in_front = true;   ///< else one of many: thin
  bool is_again = false;     ///< another training of a rung before it: dashed

  const Reading& last() const { return judged.empty() ? batches.back() : judged.back(); }
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
    lines.judged.push_back(
        {static_cast<double>(last.step), last.t_s - first_step_s(series), *lines.end});
  }
  lines.is_selected = row.selected;
  lines.is_hollow = !row.origin.empty() || series.status == SeriesStatus::partial ||
                    series.status == SeriesStatus::cancelled;
  return lines;
}

// ---- seeds of one training -----------------------------------------------------------------------

/// What only the seed tells apart is one training, run several times.
bool is_same_training(const LadderRow& a, const LadderRow& b) {
  return a.series->kernel == b.series->kernel && a.origin == b.origin &&
         without_seed(a.series->params) == without_seed(b.series->params);
}

/// Between its readings on a straight line; none before the first and after the last.
std::optional<Reading> reading_at(const std::vector<Reading>& all, double step) {
  const auto next = std::find_if(all.begin(), all.end(),
                                 [&](const Reading& reading) { return reading.step >= step; });
  if (next == all.end() || (next == all.begin() && next->step > step)) return {};
  if (next->step == step) return *next;
  const Reading& from = *(next - 1);
  const double share = (step - from.step) / (next->step - from.step);
  return Reading{step, from.t_s + share * (next->t_s - from.t_s),
                 from.value + share * (next->value - from.value)};
}

double mean_of(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  return mean;
}

/// At each step that one of them was read at: the mean of those that went so far, with the least and the greatest.
std::vector<Reading> over_seeds(const std::vector<const std::vector<Reading>*>& seeds) {
  std::set<double> steps;
  for (const auto* seed : seeds) {
    for (const Reading& reading : *seed) steps.insert(reading.step);
  }
  std::vector<Reading> out;
  for (const double step : steps) {
    std::vector<double> values, times;
    for (const auto* seed : seeds) {
      const auto reading = reading_at(*seed, step);
      if (reading) values.push_back(reading->value), times.push_back(reading->t_s);
    }
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    out.push_back({step, stats::median(times), mean_of(values), Interval{*least, *most}});
  }
  return out;
}

Lines merged(const std::vector<Lines>& seeds) {
  Lines all = seeds.front();
  if (seeds.size() == 1) return all;
  std::vector<const std::vector<Reading>*> judged, batches;
  std::vector<double> ends;
  for (const Lines& seed : seeds) {
    if (!seed.judged.empty()) judged.push_back(&seed.judged);
    if (!seed.batches.empty()) batches.push_back(&seed.batches);
    if (seed.end) ends.push_back(*seed.end);
    all.is_hollow |= seed.is_hollow;
    all.is_selected |= seed.is_selected;
  }
  all.seeds = seeds.size();
  all.judged = over_seeds(judged);
  all.batches = over_seeds(batches);
  all.end = ends.empty() ? std::nullopt : std::optional(mean_of(ends));
  return all;
}

std::string at_text(const Reading& reading) {
  return fmt::format("after {} steps and {} of training", format_count(reading.step),
                     format_time_ns(reading.t_s * 1e9));
}

/// "mean of 5 seeds from 0.8712 to 0.8790, "; empty for one.
std::string seeds_text(const Lines& lines, const std::optional<Interval>& seeds) {
  if (lines.seeds < 2 || !seeds) return "";
  return fmt::format("{} from {} to {}, ", seed_mean_text(static_cast<int>(lines.seeds)),
                     value_text(seeds->low), value_text(seeds->high));
}

class Builder {
 public:
  Builder(std::span<const LadderRow> rows, const TrainingOptions& options);
  ChartModel build();

 private:
  void put_few_in_front();
  void add_curves(const Lines& lines, size_t place);
  Curve curve_of(const Lines& lines, const std::vector<Reading>& readings,
                 const std::string& what) const;
  void add_row(const Lines& lines, const std::optional<double>& target);
  Interval range_from(double from) const;
  void set_x_axis();
  void set_axes();
  void add_baseline();
  std::optional<double> reached_by_all() const;
  bool shows_batches(const Lines& lines) const {
    return lines.judged.empty() || lines_.size() <= kMostPale || lines.is_selected;
  }

  std::span<const LadderRow> rows_;
  TrainingOptions options_;
  std::vector<Lines> lines_;
  ChartModel model_{.id = "training"};
};

Builder::Builder(std::span<const LadderRow> rows, const TrainingOptions& options)
    : rows_(rows), options_(options) {
  model_.title = options.title;
  model_.plot = Plot{};
  std::vector<std::vector<Lines>> trainings;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].series || rows[i].series->curve.empty()) continue;
    Lines lines = lines_of(rows[i], static_cast<int>(i), options.metric);
    if (lines.judged.empty() && lines.batches.empty()) continue;
    const auto known = std::find_if(trainings.begin(), trainings.end(), [&](const auto& seeds) {
      return is_same_training(*seeds.front().row, rows[i]);
    });
    if (known == trainings.end())
      trainings.push_back({std::move(lines)});
    else
      known->push_back(std::move(lines));
  }
  for (const std::vector<Lines>& seeds : trainings) lines_.push_back(merged(seeds));
  std::set<std::string> rungs;
  for (Lines& lines : lines_) lines.is_again = !rungs.insert(lines.row->series->kernel).second;
  if (lines_.size() > kMostInFront) put_few_in_front();
}

void Builder::put_few_in_front() {
  const auto ends_lower = [](const Lines& a, const Lines& b) {
    return a.last().value < b.last().value;
  };
  for (Lines& lines : lines_) lines.is_in_front = lines.is_selected || lines.row->is_baseline;
  const auto ends_sooner = [](const Lines& a, const Lines& b) {
    return a.last().t_s < b.last().t_s;
  };
  const auto [least, best] = std::minmax_element(lines_.begin(), lines_.end(), ends_lower);
  const auto soonest = std::min_element(lines_.begin(), lines_.end(), ends_sooner);
  for (const auto& one : {lines_.begin(), least, best, soonest}) one->is_in_front = true;
}

Curve Builder::curve_of(const Lines& lines, const std::vector<Reading>& readings,
                        const std::string& what) const {
  Curve curve{.marker = Marker::none, .line = true, .band = lines.seeds > 1};
  for (const Reading& reading : readings) {
    if (!options_.by_step && !(reading.t_s > 0)) continue;  // the first step's end
    Datum datum{.x = options_.by_step ? reading.step : reading.t_s, .y = reading.value};
    datum.row = lines.index;
    datum.interval = reading.seeds;
    datum.value_text = options_.metric + " " + value_text(reading.value);
    datum.note = fmt::format("{}: {} {}, {}{} {}.", lines.row->label, options_.metric,
                             value_text(reading.value), seeds_text(lines, reading.seeds), what,
                             at_text(reading));
    curve.data.push_back(std::move(datum));
  }
  return curve;
}

/// The rung's, as in the frontier.
void set_curve_look(const Lines& lines, size_t place, Curve* curve) {
  const Look look = look_of_rung(*lines.row, place);
  curve->role = look.role;
  if (!curve->quiet) curve->marker = look.marker;
  curve->dashed = lines.is_again;
}

/// Behind those in front, thin and pale in the colour of its rung: its name at its end has the same.
void set_aside(Curve* curve) {
  curve->quiet = true;
  curve->band = false;
  for (Datum& datum : curve->data) datum.interval.reset();
}

void Builder::add_curves(const Lines& lines, size_t place) {
  const Series& series = *lines.row->series;
  const std::string over =
      lines.run > 1 ? fmt::format("mean of {} steps,", lines.run) : "one step,";
  if (!lines.batches.empty() && shows_batches(lines)) {
    Curve batches = curve_of(lines, lines.batches, "of the batches, " + over);
    batches.quiet = !lines.judged.empty();
    set_curve_look(lines, place, &batches);
    batches.marker = Marker::none;
    if (!batches.quiet) batches.name = lines.row->label;
    if (!lines.is_in_front) set_aside(&batches);
    model_.plot->curves.push_back(std::move(batches));
  }
  if (lines.judged.empty()) return;
  const QualityCheck* check = series.quality();
  const std::string judge = check && !check->what.empty() ? check->what + "," : "judged";
  Curve judged = curve_of(lines, lines.judged, lines.is_at_each_step ? over : judge);
  set_curve_look(lines, place, &judged);
  if (lines.is_at_each_step) judged.marker = Marker::none;
  judged.name = lines.row->label;
  if (lines.end) judged.name = value_text(*lines.end) + " · " + judged.name;  // a cut name keeps it
  judged.data.back().strong = lines.is_selected;
  judged.data.back().hollow = lines.is_hollow;
  if (!lines.is_in_front) set_aside(&judged);
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
  const Reading& end = lines.last();
  const std::string value = value_text(lines.end.value_or(end.value));
  std::vector<std::string> cells = {lines.row->label, format_count(end.step),
                                    format_time_ns(end.t_s * 1e9), value};
  std::string sentence = fmt::format(" {}: {} {}, {}{}", lines.row->label, options_.metric, value,
                                     seeds_text(lines, end.seeds), at_text(end));
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

/// Of the lines' values those from `from` of their steps on.
Interval Builder::range_from(double from) const {
  Interval range{INFINITY, -INFINITY};
  for (const Lines& lines : lines_) {
    const double first = from * lines.last().step;
    for (const auto* readings : {&lines.judged, &lines.batches}) {
      if (readings == &lines.batches && !shows_batches(lines)) continue;
      for (const Reading& reading : *readings) {
        if (reading.step < first) continue;
        const Interval seeds = reading.seeds.value_or(Interval{reading.value, reading.value});
        range = {std::min(range.low, seeds.low), std::max(range.high, seeds.high)};
      }
    }
  }
  for (const Guide& guide : model_.plot->guides)
    range = {std::min(range.low, guide.value), std::max(range.high, guide.value)};
  return range;
}

void Builder::set_x_axis() {
  double first = INFINITY, soonest = INFINITY, last = 0;
  for (const Curve& curve : model_.plot->curves) {
    if (curve.data.empty()) continue;
    if (curve.data.front().x > 0) first = std::min(first, curve.data.front().x);
    soonest = std::min(soonest, curve.data.back().x);
    last = std::max(last, curve.data.back().x);
  }
  Axis& x = model_.plot->x;
  const bool is_from_second = std::all_of(lines_.begin(), lines_.end(), [](const Lines& one) {
    return first_step_s(*one.row->series) > 0;
  });
  x = {.title = options_.by_step ? "Steps"
                : is_from_second ? "Training time from the second step on"
                                 : "Training time",
       .unit = options_.by_step ? "" : "s"};
  x.high = last > 0 ? last * 1.02 : 1;
  // Trainings of milliseconds beside some of seconds would all stand at the left edge.
  if (options_.by_step || !(soonest > 0) || last < soonest * kLogFrom) return;
  x.scale = Scale::log;
  x.low = first * 0.9;
  x.high = last * 1.1;
}

void Builder::set_axes() {
  Plot& plot = *model_.plot;
  set_x_axis();
  const Interval all = range_from(0), later = range_from(kFirstSteps);
  // The first steps lead from a guess to most of what is learned: the rest would be a line at the edge.
  const double height = all.high - all.low, kept = later.high - later.low;
  const bool cuts = kept > 0 && height > kCutFrom * kept;
  const Interval range = cuts ? later : all;
  if (cuts) {
    model_.legend.push_back(
        fmt::format("the first {:.0f} % of the steps: beyond the axis", kFirstSteps * 100));
  }
  const double air = std::max((range.high - range.low) * 0.06, 1e-6);
  std::string title = options_.metric;
  if (!title.empty()) title[0] = static_cast<char>(std::toupper(title[0]));
  plot.y = {.title = title, .low = range.low - air, .high = range.high + air};
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
  bool any_pale = false, any_judged = false, any_hollow = false, any_strong = false,
       any_band = false;
  for (size_t i = 0; i < lines_.size(); ++i) add_curves(lines_[i], i);
  // The table and the words are in the order in which the curves end, from the top down; a colour is the ladder's, so
  // that it stays while they climb.
  std::stable_sort(lines_.begin(), lines_.end(),
                   [](const Lines& a, const Lines& b) { return a.last().value > b.last().value; });
  for (size_t i = 0; i < lines_.size(); ++i) {
    add_row(lines_[i], target);
    any_band = any_band || lines_[i].seeds > 1;
    const bool has_both = !lines_[i].batches.empty() && !lines_[i].judged.empty();
    any_pale |= has_both && shows_batches(lines_[i]);
    any_judged = any_judged || (!lines_[i].judged.empty() && !lines_[i].is_at_each_step);
    any_strong = any_strong || (lines_[i].is_selected && !lines_[i].judged.empty());
  }
  for (const Curve& curve : model_.plot->curves) {
    any_hollow = any_hollow || (!curve.data.empty() && curve.data.back().hollow);
  }
  add_baseline();
  set_axes();
  if (any_band) model_.legend.push_back("line and band: mean and range of its seeds");
  if (any_judged) model_.legend.push_back("marks: judged on data held out");
  const bool any_end = std::any_of(lines_.begin(), lines_.end(),
                                   [](const Lines& lines) { return lines.end.has_value(); });
  if (any_end && any_band)
    model_.legend.push_back("last mark: the result, mean of its seeds, as in Gains and Ladder");
  else if (any_end)
    model_.legend.push_back("last mark: the result, as in Gains and Ladder");
  const bool is_of_one = any_pale && lines_.size() > kMostPale;
  if (any_pale)
    model_.legend.push_back(is_of_one ? "pale: mean of the selected one's batches"
                                      : "pale: mean of its batches");
  if (lines_.size() > kMostInFront)
    model_.legend.push_back("thin, pale: trainings that end between the others");
  const bool any_grey = std::any_of(lines_.begin(), lines_.end(), [](const Lines& lines) {
    return lines.row->is_peer || lines.row->is_baseline;
  });
  if (any_grey) model_.legend.push_back("grey: a library or the baseline");
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
