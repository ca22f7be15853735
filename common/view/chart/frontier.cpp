#include "common/view/chart/frontier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "common/core/format.h"
#include "common/view/chart/xy_parts.h"

namespace ridge::chart {
namespace {

using namespace parts;

constexpr double kPoints = 100;  // of a share

bool has_metric(const LadderRow& row, const std::string& metric) {
  const QualityCheck* check = row.series ? row.series->quality() : nullptr;
  return check && row.delta && check->task.contains(metric) &&
         std::isfinite(check->task.at(metric));
}

const SeedDelta& delta_of(const Measured& point) {
  return *point.entry.row->delta;
}

bool is_refused(const Measured& point) {
  return point.entry.failed || delta_of(point).refused > 0;
}

/// Only these are on the frontier or behind it.
bool competes(const Measured& point) {
  return point.rate > 0 && !is_refused(point);
}

/// Its rate is 0 where it has no speed: refused, emulated, recorded without one.
Measured measured(const LadderRow& row, int index) {
  Measured point{.entry = make_entry(row), .row = index};
  const Series& series = *row.series;
  point.backend = backend_of(series.kernel);
  point.dtype = dtype_of(series);
  if (point.entry.reason.empty() && row.rates)
    point.rate = row.rates->median, point.rate_ci = row.rates->ci;
  else if (point.entry.reason.empty() && series.items_per_s > 0)
    point.rate = series.items_per_s;
  else if (point.entry.reason.empty() && point.entry.call_s)
    point.rate = 1 / *point.entry.call_s;
  return point;
}

/// One point for the rows of a rung that differ in their seed: their rates are one median, and stale where one of them is.
std::vector<Measured> points_of(std::span<const LadderRow> rows, const std::string& metric) {
  std::vector<Measured> points;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!has_metric(rows[i], metric)) continue;
    Measured made = measured(rows[i], static_cast<int>(i));
    const auto known = std::find_if(points.begin(), points.end(), [&](const Measured& point) {
      const Series &a = *point.entry.series, &b = *made.entry.series;
      return a.kernel == b.kernel && without_seed(a.params) == without_seed(b.params) &&
             point.entry.row->run == made.entry.row->run &&
             point.entry.row->origin == made.entry.row->origin;
    });
    if (known == points.end()) {
      points.push_back(std::move(made));
      continue;
    }
    const bool had_rate = known->rate > 0, has_rate = made.rate > 0;
    const bool gets_stale = made.entry.series->stale && !known->entry.series->stale;
    if (has_rate > had_rate || (has_rate == had_rate && gets_stale)) *known = std::move(made);
  }
  return points;
}

/// One that is no slower and no less accurate, and better at one of the two; the fastest such.
const Measured* beaten_by(const Measured& point, const std::vector<Measured>& points) {
  const Measured* best = nullptr;
  const double mean = delta_of(point).mean;
  for (const Measured& other : points) {
    if (!competes(other) || other.rate < point.rate || delta_of(other).mean < mean) continue;
    if (!(other.rate > point.rate) && !(delta_of(other).mean > mean)) continue;
    if (!best || other.rate > best->rate) best = &other;
  }
  return best;
}

/// Where a rung stands, in words: "on the frontier".
std::string place_of(const Measured& point, const std::vector<Measured>& points) {
  const SeedDelta& delta = delta_of(point);
  if (is_refused(point)) {
    return delta.seeds > 1
               ? fmt::format("refused at {} of {} seeds", std::max(1, delta.refused), delta.seeds)
               : "refused";
  }
  if (!(point.rate > 0))
    return is_emulated(*point.entry.series) ? "no speed: emulated" : "no speed";
  const Measured* better = beaten_by(point, points);
  if (!better) return "on the frontier";
  const auto &ours = delta.ci, &theirs = delta_of(*better).ci;
  // The baseline has no interval: it is the zero of all others.
  const bool apart =
      (ours ? ours->high : delta.mean) < (theirs ? theirs->low : delta_of(*better).mean);
  return fmt::format("behind {}{}", better->entry.row->label,
                     apart ? "" : ", which is faster; accuracies are not told apart");
}

std::string accuracy_text(const Measured& point) {
  return delta_of(point).seeds == 0 ? "the baseline" : seed_delta_text(delta_of(point));
}

/// "59.9 kimages/s, median of 8 seeds [58.1, 61.0] kimages/s"; under 6 seeds from the slowest to the fastest.
std::string rate_text(const Measured& point, const std::string& unit) {
  const std::string rate = format_rate(point.rate, unit);
  const auto& rates = point.entry.row->rates;
  if (!rates || rates->seeds < 2) return rate;
  return fmt::format("{}, median of {} seeds {}{}", rate, rates->seeds,
                     rates->ci ? "" : "from lowest to highest ",
                     format_rate_interval(rates->ci ? rates->ci : rates->range, unit));
}

/// What has no speed has a line of the table, and no point.
void add_points(const std::vector<Measured>& points, const FrontierOptions& options,
                ChartModel* model) {
  const std::string unit = options.items + "/s";
  for (const Measured& point : points) {
    Curve curve = curve_for(point);
    Datum datum = datum_for(point, point.rate, kPoints * delta_of(point).mean);
    const std::string place = place_of(point, points);
    datum.label = curve.name;
    if (const auto& ci = delta_of(point).ci)
      datum.interval = Interval{kPoints * ci->low, kPoints * ci->high};
    datum.x_interval = point.rate_ci;
    const std::string rate = competes(point) ? rate_text(point, unit) : "none";
    datum.value_text = (competes(point) ? rate + ", " : "") + accuracy_text(point);
    datum.note =
        with_how(fmt::format("{}: {}; {}", curve.name, datum.value_text, place), point.entry) + ".";
    model->summary += " " + datum.note;
    const QualityCheck& check = *point.entry.series->quality();
    const auto bytes = check.task.find("model_bytes");
    const auto& mean = point.entry.row->over_seeds;
    const double metric = mean ? mean->mean : check.task.at(options.metric);
    model->table.rows.push_back({curve.name, rate, format_number(metric, 4), accuracy_text(point),
                                 bytes == check.task.end() ? "" : format_bytes(bytes->second),
                                 place});
    if (!competes(point)) continue;
    curve.data.push_back(std::move(datum));
    model->plot->curves.push_back(std::move(curve));
  }
}

/// Of the accuracy; the baseline has none: it is the zero of all others. One seed says nothing of how far it may lie off.
std::optional<Interval> accuracy_range(const Measured& point) {
  const SeedDelta& delta = delta_of(point);
  if (delta.seeds == 0) return Interval{delta.mean, delta.mean};
  return delta.ci;
}

bool are_told_apart(const Measured& a, const Measured& b) {
  const auto ours = accuracy_range(a), theirs = accuracy_range(b);
  return ours && theirs && (ours->low > theirs->high || ours->high < theirs->low);
}

/// On the frontier, and its accuracy is told apart from that of each other rung there and from the baseline's.
bool is_settled(const Measured& point, const std::vector<Measured>& points) {
  if (!competes(point) || beaten_by(point, points)) return false;
  return std::all_of(points.begin(), points.end(), [&](const Measured& other) {
    const bool counts = &other != &point && competes(other) &&
                        (delta_of(other).seeds == 0 || !beaten_by(other, points));
    return !counts || are_told_apart(point, other);
  });
}

/// A staircase over the rungs whose order was measured: left of it and below it every rung is behind another.
/// Returns whether there is one.
bool add_frontier(const std::vector<Measured>& points, Plot* plot) {
  std::vector<const Measured*> front;
  for (const Measured& point : points) {
    if (is_settled(point, points)) front.push_back(&point);
  }
  if (front.empty()) return false;
  std::sort(front.begin(), front.end(),
            [](const Measured* a, const Measured* b) { return a->rate < b->rate; });
  Curve steps{.name = "frontier",
              .role = Role::muted,
              .marker = Marker::none,
              .line = true,
              .dashed = true};
  double x = plot->x.low;
  for (const Measured* point : front) {
    const double y = kPoints * delta_of(*point).mean;
    steps.data.push_back({.x = x, .y = y});
    steps.data.push_back({.x = point->rate, .y = y});
    x = point->rate;
  }
  steps.data.push_back({.x = x, .y = plot->y.low});
  plot->curves.push_back(std::move(steps));
  return true;
}

void set_axes(const std::vector<Measured>& points, const FrontierOptions& options, Plot* plot) {
  Span x;
  double low = 0, high = 0, least = 0, most = 0;
  for (const Measured& point : points) {
    if (!competes(point)) continue;
    least = std::min(least, delta_of(point).mean), most = std::max(most, delta_of(point).mean);
  }
  for (const Measured& point : points) {
    if (!competes(point)) continue;
    x.add(point.rate);
    if (point.rate_ci) x.add(point.rate_ci->low), x.add(point.rate_ci->high);
    const SeedDelta& delta = delta_of(point);
    low = std::min({low, delta.mean, delta.ci ? delta.ci->low : 0});
    high = std::max({high, delta.mean, delta.ci ? delta.ci->high : 0});
  }
  if (x.empty()) x.add(1);
  // Two seeds have whiskers of 12.7 deviations: they are cut before the points lie in one line.
  const double span = std::max(most - least, 0.01);
  low = std::max(low, least - span), high = std::min(high, most + span);
  plot->x = {.title = "Throughput", .unit = options.items + "/s", .scale = Scale::log};
  x.apply(&plot->x, 2, 1.5);
  const double air = std::max(0.08 * (high - low), 1e-4);
  plot->y = {.title = "Difference in " + options.metric + ", points (above: better)"};
  plot->y.low = kPoints * (low - air), plot->y.high = kPoints * (high + air);
}

/// "without a speed, so without a point: int4 (refused), luts (no speed: emulated)"; empty: all have one.
std::string left_out_text(const std::vector<Measured>& points) {
  std::string text;
  for (const Measured& point : points) {
    if (competes(point)) continue;
    text += (text.empty() ? "without a speed, so without a point: " : ", ") +
            curve_for(point).name + " (" + place_of(point, points) + ")";
  }
  return text;
}

/// Zero, and the least that the gate lets pass: of the rung that it concerns, as far below the baseline.
void add_guides(const std::vector<Measured>& points, const FrontierOptions& options, Plot* plot) {
  plot->guides.push_back({.kind = Guide::Kind::horizontal,
                          .value = 0,
                          .label = "baseline",
                          .note = "The baseline's " + options.metric + "."});
  for (const Measured& point : points) {
    const auto& task = point.entry.series->quality()->task;
    const auto lost = task.find("may_lose");
    if (lost == task.end()) continue;
    const double value = -kPoints * lost->second;
    const bool known = std::any_of(plot->guides.begin(), plot->guides.end(),
                                   [&](const Guide& guide) { return guide.value == value; });
    if (known) continue;
    Guide gate{
        .kind = Guide::Kind::horizontal, .value = value, .role = Role::limit, .dashed = true};
    gate.label = fmt::format("gate −{:.2f} points", -value);
    gate.note =
        fmt::format("The gate: a rung that loses more than {:.2f} points has no speed.", -value);
    plot->guides.push_back(gate);
    plot->y.low = std::min(plot->y.low, value * 1.15);
  }
}

}  // namespace

ChartModel frontier_chart(std::span<const LadderRow> all, const FrontierOptions& options) {
  const std::vector<LadderRow> rows = with_marks(all);
  ChartModel model{.id = "frontier", .title = options.title};
  model.plot = Plot{};
  std::vector<Measured> points = points_of(rows, options.metric);
  const size_t elsewhere = keep_selected_processor(&points, rows);
  if (points.empty()) {
    model.plot->empty_reason =
        elsewhere == 0
            ? "No rung here has its " + options.metric +
                  " beside the baseline's yet: run the ladder."
            : fmt::format(
                  "No rung of the selected one's processor is judged by its {}. Select one "
                  "of the {} of another processor that are.",
                  options.metric, elsewhere);
    model.summary = model.plot->empty_reason;
    return model;
  }
  name_machine(points, &model);
  model.table.columns = {"Rung", "Rate", options.metric, "Difference", "Model", "Place"};
  set_axes(points, options, &*model.plot);
  add_guides(points, options, &*model.plot);
  const auto ahead = std::count_if(points.begin(), points.end(), [&](const Measured& point) {
    return competes(point) && !beaten_by(point, points);
  });
  model.summary = fmt::format("Speed against {}, {} rungs, {} on the frontier.", options.metric,
                              points.size(), ahead);
  add_points(points, options, &model);
  const bool has_steps = add_frontier(points, &*model.plot);
  std::vector<Measured> drawn;
  std::copy_if(points.begin(), points.end(), std::back_inserter(drawn), competes);
  put_legend(drawn, false, &model);
  if (drawn.empty())
    model.plot->empty_reason = "No rung here has a speed: " + left_out_text(points) + ".";
  if (has_steps)
    model.legend.push_back("dashed: the frontier, through rungs whose accuracies are told apart");
  else if (ahead > 1)
    model.legend.push_back("no frontier: the accuracies of the rungs ahead are not told apart");
  if (std::string left_out = left_out_text(points); !left_out.empty())
    model.legend.push_back(std::move(left_out));
  const int seeds =
      std::max_element(points.begin(), points.end(), [](const Measured& a, const Measured& b) {
        return delta_of(a).seeds < delta_of(b).seeds;
      })->entry.row->delta->seeds;
  model.legend.push_back(
      seeds > 1 ? "whiskers: 95 % intervals over paired seeds; without an end they go on"
                : "one seed: no interval of the accuracy");
  add_elsewhere(elsewhere, &model);
  return model;
}

}  // namespace ridge::chart
