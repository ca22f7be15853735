#include "common/view/chart/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/core/format.h"

namespace ridge::chart {
namespace {

double x_of(size_t index) {
  return static_cast<double>(index + 1);
}

void add_results(const HistoryInput& input, ChartModel* model) {
  Curve clean{.name = "result", .role = Role::series0};
  Curve busy{.name = "disturbed", .role = Role::muted};
  for (size_t i = 0; i < input.data.size(); ++i) {
    const HistoryDatum& one = input.data[i];
    Datum datum{.x = x_of(i), .y = one.time_ns * 1e-9};
    if (one.ci_ns) datum.interval = Interval{one.ci_ns->low * 1e-9, one.ci_ns->high * 1e-9};
    datum.hollow = one.disturbed;
    datum.value_text = format_time_ns(one.time_ns);
    datum.note = one.when + ": " + datum.value_text + " " + format_time_interval(one.ci_ns) +
                 (one.note.empty() ? "" : "; " + one.note) + ".";
    model->table.rows.push_back(
        {one.when, datum.value_text, format_time_interval(one.ci_ns), one.note});
    (one.disturbed ? busy : clean).data.push_back(std::move(datum));
  }
  for (Curve* curve : {&clean, &busy})
    if (!curve->data.empty()) model->plot->curves.push_back(std::move(*curve));
}

void add_levels(const HistoryInput& input, Plot* plot) {
  double level = input.first_level_ns;
  size_t begin = 0;
  for (size_t i = 0; i <= input.marks.size(); ++i) {
    const size_t end = i == input.marks.size() ? input.data.size() : input.marks[i].first;
    Guide line{.kind = Guide::Kind::horizontal, .value = level * 1e-9};
    line.from = x_of(begin) - 0.5;
    line.to = x_of(end) - 0.5;
    line.note =
        fmt::format("The median of results {} to {}: {}.", begin + 1, end, format_time_ns(level));
    line.quiet = true;
    plot->guides.push_back(std::move(line));
    if (i < input.marks.size()) level = input.marks[i].level_ns;
    begin = end;
  }
  for (const HistoryMark& mark : input.marks) {
    Guide line{.kind = Guide::Kind::vertical, .value = x_of(mark.first) - 0.5, .label = mark.label};
    line.role = mark.slower ? Role::slower : Role::faster;
    line.note = mark.note;
    line.dashed = true;
    plot->guides.push_back(std::move(line));
  }
}

void set_axes(const HistoryInput& input, Plot* plot) {
  double low = input.data.front().time_ns, high = low;
  for (const HistoryDatum& one : input.data) {
    const Interval reach = one.ci_ns.value_or(Interval{one.time_ns, one.time_ns});
    low = std::min({low, reach.low, one.time_ns}), high = std::max({high, reach.high, one.time_ns});
  }
  const double air = std::max((high - low) * 0.15, low * 0.002);
  plot->x = {
      .title = "Result, in the order of time", .low = 0.5, .high = x_of(input.data.size()) - 0.5};
  if (input.data.size() == 1) plot->x.high = 1.5;
  plot->y = {.title = "Time per call",
             .unit = "s",
             .low = (low - air) * 1e-9,
             .high = (high + air) * 1e-9};
}

}  // namespace

ChartModel history_chart(const HistoryInput& input) {
  ChartModel model{.id = "history", .title = input.title, .subtitle = input.subtitle};
  model.plot = Plot{};
  Plot& plot = *model.plot;
  if (input.data.empty()) {
    plot.empty_reason = "The history holds no result of this rung yet: run it.";
    model.summary = plot.empty_reason;
    return model;
  }
  model.table.columns = {"When (UTC)", "Time per call", "95 % interval", "Measured with"};
  set_axes(input, &plot);
  add_results(input, &model);
  add_levels(input, &plot);
  const size_t count = input.marks.size();
  model.summary = fmt::format(
      "{} result{} from {} to {}; {}.", input.data.size(), input.data.size() == 1 ? "" : "s",
      input.data.front().when, input.data.back().when,
      count == 0 ? "no change of level"
                 : fmt::format("{} change{} of level", count, count == 1 ? "" : "s"));
  model.legend = {model.summary};
  if (!input.too_few.empty()) model.legend.push_back(input.too_few);
  if (plot.curves.size() > 1 || plot.curves.front().role == Role::muted)
    model.legend.push_back("hollow: the machine was busy or noisy");
  for (const HistoryMark& mark : input.marks) model.summary += " " + mark.note;
  return model;
}

}  // namespace ridge::chart
