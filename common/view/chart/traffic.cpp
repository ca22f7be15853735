#include "common/view/chart/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "common/core/format.h"
#include "common/record/params.h"
#include "common/view/chart/ladder_parts.h"

namespace ridge::chart {
namespace {

using parts::Entry;

constexpr size_t kFewestPairs = 4;
constexpr double kAlike = 1.01;  // the most over the least: their order says nothing

/// A level that gives bytes: the model's figure, and the counter of what missed in the level before it.
struct TrafficLevel {
  const char* work;
  const char* name;
  const char* counter;  ///< null: perf_event has no event of that name on any CPU
};
constexpr TrafficLevel kTrafficLevels[] = {{"model_l2", "the L2", "l1d_read_miss_bytes"},
                                           {"model_l3", "the L3", nullptr},
                                           {"model_memory", "memory", "ll_read_miss_bytes"}};

std::optional<double> modelled(const Series& series, const TrafficLevel& level) {
  const auto found = series.work.find(level.work);
  return found == series.work.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> counted(const Series& series, const TrafficLevel& level) {
  for (const Counter& counter : series.counters) {
    if (level.counter != nullptr && counter.name == level.counter) return counter.value;
  }
  return std::nullopt;
}

std::string why_not_counted(const Series& series, const TrafficLevel& level) {
  if (const auto why = series.unavailable.find("counters"); why != series.unavailable.end())
    return why->second;
  return level.counter == nullptr ? "perf_event has no general event for the second level's misses"
                                  : "this CPU's perf_event does not count them";
}

bool is_modelled(const LadderRow& row) {
  return row.series != nullptr && row.series->work.contains("model_memory");
}

/// The rows that pose one problem: the same arithmetic on the same bytes, with the same threads.
std::vector<int> rows_of_one_problem(std::span<const LadderRow> rows) {
  const LadderRow* about = nullptr;
  for (const LadderRow& row : rows) {
    if (is_modelled(row) && (about == nullptr || !about->selected || row.selected)) about = &row;
  }
  std::vector<int> kept;
  for (size_t i = 0; i < rows.size() && about != nullptr; ++i) {
    if (!is_modelled(rows[i])) continue;
    const Series &one = *rows[i].series, &other = *about->series;
    if (one.flop == other.flop && one.bytes_min == other.bytes_min &&
        param_int(one.params, "threads", 1) == param_int(other.params, "threads", 1))
      kept.push_back(static_cast<int>(i));
  }
  return kept;
}

/// What tells a row from the others: "nmhcrsw, tile_m 8". Numbers bear their name, words speak for themselves.
std::string what_differs(const Series& series, const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const auto value = series.params.find(name);
    if (value == series.params.end()) continue;
    const bool is_number = std::holds_alternative<int64_t>(value->second);
    text += (text.empty() ? "" : ", ") + (is_number ? name + " " : "") + to_string(value->second);
  }
  return text;
}

std::set<std::string> names_that_differ(const std::vector<Entry>& entries) {
  std::set<std::string> names;
  for (const Entry& one : entries) {
    for (const auto& [name, value] : one.series->params) {
      const bool everywhere = std::all_of(entries.begin(), entries.end(), [&, &name = name, &value = value](const Entry& other) {
        const auto found = other.series->params.find(name);
        return found != other.series->params.end() && found->second == value;
      });
      if (!everywhere) names.insert(name);
    }
  }
  return names;
}

Panel level_panel(const std::vector<Entry>& entries, const TrafficLevel& level) {
  Panel panel{.title = std::string("From ") + level.name, .metric = "traffic"};
  panel.axis = {.title = "Bytes", .unit = "B"};
  double high = 0;
  bool any_counted = false;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Series& series = *entries[i].series;
    const auto model = modelled(series, level), real = counted(series, level);
    const auto row = static_cast<int>(i);
    panel.row_reasons.push_back(model ? "" : "this machine has no such level");
    if (!model) continue;
    Mark mark{.row = row, .value = *model, .role = Role::series2};
    mark.note = fmt::format("{}: {} expected from {} by the model; {}", entries[i].row->label,
                            format_bytes(*model), level.name,
                            real ? format_bytes(*real) + " counted"
                                 : "counted: unavailable: " + why_not_counted(series, level));
    panel.marks.push_back(mark);
    high = std::max(high, *model);
    if (!real) continue;
    any_counted = true;
    Mark point{.row = row, .value = *real, .role = Role::text, .marker = Marker::diamond};
    point.beside = true;
    point.note = mark.note;
    panel.marks.push_back(point);
    high = std::max(high, *real);
  }
  panel.subtitle = any_counted ? "expected; hollow: counted" : "expected; not counted";
  panel.axis.high = high > 0 ? high * 1.3 : 1;
  parts::settle_reasons(entries, &panel);
  return panel;
}

/// Ranks from 1; equal values share the mean of theirs.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<double> ranks;
  for (const double value : values) {
    const auto below =
        std::count_if(values.begin(), values.end(), [&](double v) { return v < value; });
    const auto equal = std::count(values.begin(), values.end(), value);
    ranks.push_back(double(below) + (double(equal) + 1) / 2);
  }
  return ranks;
}

std::string agreement_text(const std::vector<Entry>& entries) {
  std::string text;
  size_t timed = 0;
  for (const TrafficLevel& level : kTrafficLevels) {
    std::vector<double> bytes, times;
    for (const Entry& entry : entries) {
      const auto model = modelled(*entry.series, level);
      if (!model || !parts::is_number(entry.call_s)) continue;
      bytes.push_back(*model), times.push_back(*entry.call_s);
    }
    timed = std::max(timed, times.size());
    const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
    const bool alike = !bytes.empty() && *most < kAlike * *least;
    const auto rho = alike ? std::nullopt : rank_correlation(bytes, times);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", level.name,
                        rho     ? fmt::format("{:+.2f}", *rho)
                        : alike ? "all alike"
                                : "unavailable");
  }
  if (timed < kFewestPairs)
    return fmt::format("{} of {} nests that a rank correlation with time needs are measured.",
                       timed, kFewestPairs);
  return fmt::format(
      "Rank correlation of time with the bytes expected, over {} nests (+1: the same order, 0: "
      "none): {}.",
      timed, text);
}

void fill_traffic_table(const std::vector<Entry>& entries, ChartModel* model) {
  model->table.columns = {"Nest"};
  for (const TrafficLevel& level : kTrafficLevels) {
    model->table.columns.push_back(std::string("From ") + level.name + ", expected");
    model->table.columns.push_back(std::string("From ") + level.name + ", counted");
  }
  model->table.columns.push_back("Time per call");
  for (size_t i = 0; i < entries.size(); ++i) {
    std::vector<std::string> cells = {model->rows[i].label};
    for (const TrafficLevel& level : kTrafficLevels) {
      const auto made = modelled(*entries[i].series, level),
                 real = counted(*entries[i].series, level);
      cells.push_back(made ? format_bytes(*made) : "unavailable: no such level");
      cells.push_back(real ? format_bytes(*real)
                           : "unavailable: " + why_not_counted(*entries[i].series, level));
    }
    cells.push_back(parts::is_number(entries[i].call_s) ? format_time_ns(*entries[i].call_s * 1e9)
                                                        : "unavailable: " + entries[i].reason);
    model->table.rows.push_back(std::move(cells));
  }
}

}  // namespace

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size() || a.size() < kFewestPairs) return std::nullopt;
  const std::vector<double> ra = ranks_of(a), rb = ranks_of(b);
  const double mean = (double(a.size()) + 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (ra[i] - mean) * (rb[i] - mean);
    aa += (ra[i] - mean) * (ra[i] - mean), bb += (rb[i] - mean) * (rb[i] - mean);
  }
  if (!(aa > 0) || !(bb > 0)) return std::nullopt;
  return ab / std::sqrt(aa * bb);
}

ChartModel traffic_chart(std::span<const LadderRow> all, std::vector<int>* kept) {
  const std::vector<LadderRow> rows = with_marks(all);
  const std::vector<int> places = rows_of_one_problem(rows);
  if (kept != nullptr) *kept = places;
  std::vector<Entry> entries;
  for (const int place : places) entries.push_back(parts::make_entry(rows[size_t(place)]));
  ChartModel model{.id = "traffic", .title = "Expected traffic, counted traffic, time"};
  const std::set<std::string> names = names_that_differ(entries);
  for (const Entry& entry : entries) {
    const std::string differs = what_differs(*entry.series, names);
    const std::string about = parts::sublabel_of(*entry.row);  // what its time is worth
    const std::string rung = differs.empty() ? "" : entry.row->label;
    model.rows.push_back({.label = differs.empty() ? entry.row->label : differs,
                          .sublabel = rung + (rung.empty() || about.empty() ? "" : " · ") + about,
                          .selected = entry.row->selected});
  }
  for (const TrafficLevel& level : kTrafficLevels)
    model.panels.push_back(level_panel(entries, level));
  model.panels.push_back(parts::time_panel(entries));
  if (entries.empty()) {
    for (Panel& panel : model.panels) panel.empty_reason = "Run a rung whose loads are modelled.";
    model.summary = "Nothing was run whose traffic is modelled.";
    return model;
  }
  model.legend = {"bars of bytes: what a model of this machine's caches expects, no prefetcher"};
  const Series& first = *entries.front().series;
  const auto why = first.unavailable.find("counters");
  model.legend.push_back(why == first.unavailable.end()
                             ? "hollow diamond: lines that reads missed, counted by perf_event"
                             : "counted by perf_event: unavailable: " + why->second);
  model.summary = agreement_text(entries);
  model.subtitle = model.summary;
  fill_traffic_table(entries, &model);
  return model;
}

}  // namespace ridge::chart
