#include "common/view/chart/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "common/core/format.h"

namespace ridge::chart {
namespace {

constexpr double kFaster = 2;  // the gain that is drawn
constexpr double kInfinitely = std::numeric_limits<double>::infinity();

/// Of all rows; none where one has no time: a share of a part of the network would mislead.
std::optional<double> total_time_s(const WorkloadInput& input) {
  double total = 0;
  for (const WorkloadRow& row : input.rows) {
    if (!row.time_s) return {};
    total += *row.time_s;
  }
  return total > 0 ? std::optional(total) : std::nullopt;
}

std::string count_text(double count) {
  return count > 0 ? fmt::format("{:.6g}", count) : "none";
}

std::string fastest_text(const WorkloadRow& row) {
  return row.fastest_s ? format_time_ns(*row.fastest_s * 1e9) + ", " + row.fastest : "";
}

Mark mark_of(const WorkloadRow& row, int index, double value, const std::string& label) {
  Mark mark;
  mark.row = index;
  mark.value = value;
  mark.label = label;
  mark.hatched = !row.exact;
  mark.note = row.label + ": " + row.note;
  if (row.printed)
    mark.note += fmt::format(" Printed for {}: {} MACs; ours: {}.", row.printed->of,
                             count_text(row.printed->macs), count_text(row.printed->ours));
  if (row.time_s) mark.note += " Its time: " + row.how + ".";
  if (row.fastest_s) mark.note += " Fastest here: " + fastest_text(row) + ".";
  return mark;
}

std::string percent(double share) {
  return share < 0.0995 ? fmt::format("{:.1f} %", 100 * share)
                        : fmt::format("{:.0f} %", 100 * share);
}

/// Of panels whose marks have one figure, and of those with two.
constexpr float kShort = 0.7f, kLong = 1.5f;

Panel work_panel(const WorkloadInput& input) {
  Panel panel{.title = "Share of the work", .metric = "work_share", .weight = kShort};
  panel.axis = {.title = "of all multiply-adds", .is_share = true};
  double total = 0, most = 0;
  for (const WorkloadRow& row : input.rows) total += row.flop;
  for (size_t i = 0; i < input.rows.size(); ++i) {
    const double share = input.rows[i].flop / total;
    Mark mark = mark_of(input.rows[i], static_cast<int>(i), share, percent(share));
    mark.hatched = false;  // arithmetic, not a measurement
    mark.role = Role::muted;
    panel.marks.push_back(mark);
    most = std::max(most, share);
  }
  panel.axis.high = most * 1.25;
  return panel;
}

Panel speed_panel(const WorkloadInput& input) {
  Panel panel{.title = "Speed at its shape", .metric = "throughput", .weight = kShort};
  panel.axis = {.title = "Throughput", .unit = "FLOP/s"};
  panel.axis.high = 1;
  for (size_t i = 0; i < input.rows.size(); ++i) {
    const WorkloadRow& row = input.rows[i];
    panel.row_reasons.push_back(row.time_s ? "" : row.why);
    if (!row.time_s) continue;
    const double rate = row.flop / *row.time_s;
    panel.marks.push_back(mark_of(row, static_cast<int>(i), rate, ""));
    panel.axis.high = std::max(panel.axis.high, rate * 1.25);
  }
  if (panel.marks.empty()) panel.empty_reason = "Run this rung once: its rate at any size will do.";
  return panel;
}

Panel time_panel(const WorkloadInput& input, const std::optional<double>& total) {
  Panel panel{.title = "Share of the time", .metric = "time_share", .weight = kLong};
  panel.axis = {.title = "of all its calls", .is_share = true};
  if (!total) {
    panel.empty_reason = "A share needs a time for every part.";
    return panel;
  }
  double most = 0;
  for (size_t i = 0; i < input.rows.size(); ++i) {
    const WorkloadRow& row = input.rows[i];
    const double share = *row.time_s / *total;
    panel.marks.push_back(
        mark_of(row, static_cast<int>(i), share,
                fmt::format("{}, {}", percent(share), format_time_ns(*row.time_s * 1e9))));
    most = std::max(most, share);
  }
  panel.axis.high = most * 1.5;
  return panel;
}

Panel gain_panel(const WorkloadInput& input, const std::optional<double>& total) {
  Panel panel{.title = "The whole, if twice as fast", .metric = "whole_gain", .weight = kLong};
  panel.axis = {.title = "Whole", .low = 1, .high = 1.2};
  if (!total) {
    panel.empty_reason = "Shares of the time are missing.";
    return panel;
  }
  for (size_t i = 0; i < input.rows.size(); ++i) {
    const WorkloadRow& row = input.rows[i];
    const double share = *row.time_s / *total;
    const double gain = whole_gain(share, kFaster), most = whole_gain(share, kInfinitely);
    Mark mark =
        mark_of(row, static_cast<int>(i), gain, fmt::format("{:.3f}×, ≤ {:.3f}×", gain, most));
    mark.note = fmt::format(
        "{}: twice as fast, the whole gains {:.3f}×; if it took no time at all, "
        "{:.2f}×.",
        row.label, gain, most);
    panel.marks.push_back(mark);
    panel.axis.high = std::max(panel.axis.high, 1 + (gain - 1) * 2.2);
  }
  return panel;
}

/// A figure that every row would repeat is said once, in the legend: a rate that all rows are reckoned at, say.
void fold_equal(size_t rows, Panel* panel, std::vector<std::string>* legend) {
  constexpr size_t kFew = 3;
  const auto text_of = [&](const Mark& mark) {
    return mark.label.empty() ? format_rate(mark.value, panel->axis.unit) : mark.label;
  };
  if (panel->marks.size() < kFew) return;
  const std::string same = text_of(panel->marks.front());
  if (std::any_of(panel->marks.begin(), panel->marks.end(),
                  [&](const Mark& mark) { return text_of(mark) != same; }))
    return;
  legend->push_back(panel->title + ": " + same + " in every row" +
                    (panel->marks.size() < rows ? " that has one" : ""));
  for (Mark& mark : panel->marks) mark.bare = true;
}

/// "FFN, up; FFN, down: at the rate of n = 8192": of what was not measured at its shape, whose rate it has.
std::vector<std::string> whose_rates(const WorkloadInput& input) {
  std::map<std::string, std::vector<std::string>> rows;  // by how
  for (const WorkloadRow& row : input.rows)
    if (row.time_s && !row.exact) rows[row.how].push_back(row.label);
  std::vector<std::string> all;
  for (const auto& [how, labels] : rows)
    all.push_back((labels.size() == input.rows.size()
                       ? "every part"
                       : fmt::format("{}", fmt::join(labels, "; "))) +
                  ": " + how);
  return all;
}

/// Of a published table: what it printed beside what the shapes say, and the steps that have no product.
void add_counts(const WorkloadInput& input, ChartModel* model) {
  for (const char* column :
       {"MACs of a pass", "MACs printed", "printed for", "ours for that", "parameters"})
    model->table.columns.push_back(column);
  std::vector<std::vector<std::string>> rows;
  double macs = 0, parameters = 0;
  for (size_t i = 0; i < input.rows.size(); ++i) {
    const WorkloadRow& row = input.rows[i];
    std::vector<std::string>& cells = rows.emplace_back(model->table.rows[i]);
    cells.push_back(count_text(row.flop / 2));
    cells.push_back(row.printed ? count_text(row.printed->macs) : "");
    cells.push_back(row.printed ? row.printed->of : "");
    cells.push_back(row.printed ? count_text(row.printed->ours) : "");
    cells.push_back(count_text(row.parameters));
    macs += row.flop / 2, parameters += row.parameters;
    for (const WorkloadGap& gap : row.then) {
      rows.push_back({gap.label, gap.note, "", "unavailable: no product", "", "", "none", "", "",
                      "", count_text(gap.parameters)});
      parameters += gap.parameters;
    }
  }
  model->table.rows = std::move(rows);
  model->summary +=
      fmt::format(" The whole has {} MACs and {} parameters; printed: {} parameters.",
                  count_text(macs), count_text(parameters), count_text(*input.printed_parameters));
}

/// Who wins each part, in words, where there is more than one to choose from.
std::optional<Panel> fastest_panel(const WorkloadInput& input) {
  Panel panel{.title = "Fastest here",
              .subtitle = "of all rungs measured",
              .metric = "fastest",
              .weight = 1.3f};
  std::set<std::string> names;
  for (const WorkloadRow& row : input.rows) {
    panel.row_reasons.push_back(row.fastest_s ? fastest_text(row) : "not run yet");
    if (row.fastest_s) names.insert(row.fastest);
  }
  if (names.empty() || (names.size() == 1 && *names.begin() == input.rung)) return std::nullopt;
  return panel;
}

/// "With the fastest rung for each part 55 ms: oneDNN for 12 parts, Winograd for 4."
std::string winners_text(const WorkloadInput& input) {
  double total = 0;
  std::map<std::string, int> parts;
  for (const WorkloadRow& row : input.rows) {
    if (!row.fastest_s) return "";
    total += *row.fastest_s, ++parts[row.fastest];
  }
  if (parts.size() < 2) return "";
  std::string text;
  for (const auto& [name, count] : parts)
    text += fmt::format("{}{} for {}", text.empty() ? "" : ", ", name, count);
  return fmt::format("With the fastest rung for each part the whole takes {}: {} of {} parts. ",
                     format_time_ns(total * 1e9), text, input.rows.size());
}

void set_summary(const WorkloadInput& input, const std::optional<double>& total,
                 ChartModel* model) {
  if (total) {
    const auto most = std::max_element(
        input.rows.begin(), input.rows.end(),
        [](const WorkloadRow& a, const WorkloadRow& b) { return *a.time_s < *b.time_s; });
    const double share = *most->time_s / *total;
    model->summary = fmt::format(
        "With {} the whole takes {}. {} takes {} of it: twice as fast, the whole would gain "
        "{:.2f}×, and at most {:.2f}×.",
        input.rung, format_time_ns(*total * 1e9), most->label, percent(share),
        whole_gain(share, kFaster), whole_gain(share, kInfinitely));
  } else {
    model->summary = "No time for every part yet.";
  }
  model->summary += " " + winners_text(input) + input.note;
}

}  // namespace

double whole_gain(double share, double factor) {
  return 1 / (1 - share + share / factor);
}

ChartModel workload_chart(const WorkloadInput& input) {
  const auto total = total_time_s(input);
  ChartModel model;
  model.id = "workload";
  model.title = input.title;
  model.subtitle = "with " + input.rung + (input.machine.empty() ? "" : ", " + input.machine);
  if (total) {
    model.subtitle += ": the whole in " + format_time_ns(*total * 1e9);
    if (input.tokens > 0)
      model.subtitle += ", " + format_quantity(input.tokens / *total, "tokens/s");
    if (!input.binds.empty()) model.subtitle += "; " + input.binds;
  }
  model.table.columns = {"part", "shape", "FLOP", "time", "how", "fastest here"};
  for (const WorkloadRow& row : input.rows) {
    model.rows.push_back({.label = row.label, .sublabel = row.shape});
    model.table.rows.push_back(
        {row.label, row.shape, fmt::format("{:.4g}", row.flop),
         row.time_s ? format_time_ns(*row.time_s * 1e9) : "unavailable: " + row.why, row.how,
         fastest_text(row)});
  }
  model.panels = {work_panel(input), speed_panel(input), time_panel(input, total),
                  gain_panel(input, total)};
  if (const auto panel = fastest_panel(input)) {
    model.panels.push_back(*panel);
    model.subtitle += (model.subtitle.empty() ? "" : ". ") + winners_text(input);
    if (model.subtitle.ends_with(' ')) model.subtitle.pop_back();
  }
  model.legend = {"solid: measured here at this shape",
                  "hatched: reckoned from another size, or recorded elsewhere"};
  for (std::string& words : whose_rates(input)) model.legend.push_back(std::move(words));
  for (Panel& panel : model.panels) fold_equal(model.rows.size(), &panel, &model.legend);
  set_summary(input, total, &model);
  if (input.printed_parameters) add_counts(input, &model);
  return model;
}

}  // namespace ridge::chart
