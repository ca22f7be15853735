#include "common/view/chart/ladder.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/core/format.h"
#include "common/record/trap.h"
#include "common/view/chart/ladder_parts.h"

namespace ridge::chart {
namespace {

using namespace parts;

/// The name of the checks' task metric where none of them has an NMSE to hold against a limit.
std::string metric_of(const std::vector<Entry>& entries) {
  std::string metric;
  for (const Entry& entry : entries) {
    const QualityCheck* check = entry.series ? entry.series->quality() : nullptr;
    if (!check) continue;
    if (check->nmse_limit > 0 || check->task.empty()) return {};
    metric = check->task.begin()->first;
  }
  return metric;
}

bool counts_flop(const std::vector<Entry>& entries) {
  return std::any_of(entries.begin(), entries.end(),
                     [](const Entry& entry) { return entry.series && entry.series->flop > 0; });
}

bool has_limit(const std::vector<Entry>& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const Entry& entry) {
    const QualityCheck* check = entry.series ? entry.series->quality() : nullptr;
    return check && check->nmse_limit > 0;
  });
}

bool has_task(const std::vector<Entry>& entries, const std::string& metric) {
  return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
    const QualityCheck* check = entry.series ? entry.series->quality() : nullptr;
    return check && check->task.contains(metric);
  });
}

/// Trainings that say what they hold, and nothing that counts the bytes it moves.
bool holds_memory(const std::vector<Entry>& entries) {
  const auto some = [&](const auto& has) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const Entry& entry) { return entry.series && has(entry); });
  };
  return some([](const Entry& e) {
           return e.series->kind == RungKind::training && e.series->memory_bytes > 0;
         }) &&
         !some([](const Entry& e) { return is_number(e.derived.bytes_per_s); });
}

std::string quality_text(const QualityCheck& check, const std::string& metric) {
  if (metric.empty()) return ", NMSE " + format_scientific(check.nmse);
  const auto found = check.task.find(metric);
  return found == check.task.end() ? "" : ", " + metric + " " + format_number(found->second, 4);
}

std::string summarise(const std::vector<Entry>& entries, const std::string& metric) {
  std::string text =
      fmt::format("Ladder of {} rung{}.", entries.size(), entries.size() == 1 ? "" : "s");
  for (const Entry& entry : entries) {
    text += " " + entry.row->label + ": ";
    if (!entry.reason.empty()) {
      text += entry.reason;
    } else if (entry.series->trap) {
      const TrapOutcome& trap = *entry.series->trap;
      text += "the lie reads " + reading_text(trap, trap.lie) + ", the honest figure is " +
              reading_text(trap, trap.honest) + ": " + bias_text(trap);
    } else {
      text += format_time_ns(*entry.call_s * 1e9) +
              (entry.series->kind == RungKind::training ? " per step" : " per call");
      if (entry.derived.compute) {
        text += ", " + format_share(entry.derived.compute->value) + " of " +
                entry.derived.compute->name;
      }
      if (const std::string exp = exponentials_text(entry.derived); !exp.empty()) {
        text += ", exponentials " + exp;
      }
      if (is_number(entry.derived.bytes_per_s)) {
        text += ", " + format_rate(*entry.derived.bytes_per_s, "B/s");
      }
      if (entry.series->kind == RungKind::training && entry.series->memory_bytes > 0)
        text += ", " + format_bytes(entry.series->memory_bytes);
      if (const QualityCheck* check = entry.series->quality()) {
        text += quality_text(*check, metric);
      }
      if (!entry.how.empty()) text += " (" + entry.how + ")";
    }
    text += ".";
  }
  return text;
}

bool has_beside(const Panel& panel) {
  return std::any_of(panel.marks.begin(), panel.marks.end(),
                     [](const Mark& mark) { return mark.beside; });
}

bool has_bar(const Panel& panel) {
  return std::any_of(panel.marks.begin(), panel.marks.end(),
                     [](const Mark& mark) { return mark.marker == Marker::none; });
}

}  // namespace

std::string one_of(const std::string& items) {
  return items.ends_with('s') ? items.substr(0, items.size() - 1) : items;
}

ChartModel ladder_chart(std::span<const LadderRow> rows, const LadderOptions& options) {
  ChartModel model{.id = "ladder", .title = options.title, .subtitle = options.subtitle};
  std::vector<Entry> entries;
  bool any_hatched = false, any_baseline = false, any_peer = false, any_trap = false,
       any_over = false;
  for (const LadderRow& row : rows) {
    entries.push_back(make_entry(row));
    any_hatched = any_hatched || entries.back().hatched;
    any_baseline = any_baseline || row.is_baseline;
    any_trap = any_trap || row.is_trap;
    any_over =
        any_over || (entries.back().reason.empty() && !(row.series && row.series->pipeline) &&
                     is_over_ceiling(entries.back().derived));
    any_peer = any_peer || (row.is_peer && entries.back().reason.empty());
    model.rows.push_back({.label = row.label,
                          .sublabel = sublabel_of(row),
                          .section = row.section,
                          .selected = row.selected,
                          .is_baseline = row.is_baseline,
                          .muted = row.is_peer || !entries.back().reason.empty()});
  }
  const std::string metric = options.task_metric.empty() ? metric_of(entries) : options.task_metric;
  model.panels.push_back(time_panel(entries, options.per_item ? one_of(options.items) : ""));
  if (any_trap) {
    set_lies_beside(entries, &model.panels.front());
    model.panels.push_back(factor_panel(entries));
    model.panels.push_back(guard_panel(entries));
    model.table = trap_table(entries);
  } else {
    model.panels.push_back(metric.empty() || counts_flop(entries)
                               ? utilization_panel(entries)
                               : items_panel(entries, options.items));
    model.panels.push_back(holds_memory(entries) ? memory_panel(entries)
                                                 : bandwidth_panel(entries));
    const bool any_limit = has_limit(entries);
    if (!metric.empty() && (!any_limit || has_task(entries, metric)))
      model.panels.push_back(task_panel(entries, metric));
    if (metric.empty() || any_limit) model.panels.push_back(error_panel(entries, metric));
  }
  const bool has_bars = std::any_of(model.panels.begin(), model.panels.end(), has_bar);
  model.legend = {has_bars ? "dot, bar from zero: median" : "dot: median",
                  "whisker: 95 % interval"};
  if (!any_trap && has_beside(model.panels[1]))
    model.legend.push_back("hollow diamond in Utilization: share of the ceiling of exponentials");
  if (any_trap) model.legend.push_back("grey diamond: the lie");
  if (any_over) model.legend.push_back(kOverCeiling);
  if (any_baseline && has_bars) model.legend.push_back("dashed outline: baseline");
  if (any_peer) model.legend.push_back("grey: a library");
  if (any_hatched)
    model.legend.push_back(std::string(has_bars ? "hollow or hatched" : "hollow") +
                           ": recorded, another size or unfinished");
  model.summary = summarise(entries, metric);
  return model;
}

}  // namespace ridge::chart
