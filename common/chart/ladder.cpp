#include "common/chart/ladder.h"

#include <fmt/format.h>

#include "common/chart/ladder_parts.h"
#include "common/core/format.h"
#include "common/record/trap.h"

namespace ridge::chart {
namespace {

using namespace parts;

std::string summarise(const std::vector<Entry>& entries) {
  std::string text =
      fmt::format("Ladder of {} rung{}.", entries.size(), entries.size() == 1 ? "" : "s");
  for (const Entry& entry : entries) {
    text += " " + entry.row->label + ": ";
    if (!entry.reason.empty()) {
      text += entry.reason;
    } else if (entry.series->trap) {
      const TrapOutcome& trap = *entry.series->trap;
      text += "the lie reads " + reading_text(trap, trap.lie.median) + ", the honest figure is " +
              reading_text(trap, trap.honest.median) + ": " + bias_text(trap);
    } else {
      text += format_time_ns(*entry.call_s * 1e9) + " per call";
      if (entry.derived.compute) {
        text += ", " + format_share(entry.derived.compute->value) + " of " +
                entry.derived.compute->name;
      }
      if (is_number(entry.derived.bytes_per_s)) {
        text += ", " + format_rate(*entry.derived.bytes_per_s, "B/s");
      }
      if (const QualityCheck* check = entry.series->quality()) {
        text += ", NMSE " + format_scientific(check->nmse);
      }
      if (!entry.how.empty()) text += " (" + entry.how + ")";
    }
    text += ".";
  }
  return text;
}

}  // namespace

ChartModel ladder_chart(std::span<const LadderRow> rows, const LadderOptions& options) {
  ChartModel model{.id = "ladder", .title = options.title, .subtitle = options.subtitle};
  std::vector<Entry> entries;
  bool any_hatched = false, any_baseline = false, any_peer = false, any_trap = false;
  for (const LadderRow& row : rows) {
    entries.push_back(make_entry(row));
    any_hatched = any_hatched || entries.back().hatched;
    any_baseline = any_baseline || row.is_baseline;
    any_trap = any_trap || row.is_trap;
    any_peer = any_peer || (row.is_peer && entries.back().reason.empty());
    model.rows.push_back({.label = row.label,
                          .sublabel = sublabel_of(row),
                          .section = row.section,
                          .selected = row.selected,
                          .is_baseline = row.is_baseline,
                          .muted = row.is_peer || !entries.back().reason.empty()});
  }
  model.panels.push_back(time_panel(entries));
  if (any_trap) {
    set_lies_beside(entries, &model.panels.front());
    model.panels.push_back(factor_panel(entries));
    model.panels.push_back(guard_panel(entries));
  } else {
    model.panels.push_back(utilization_panel(entries));
    model.panels.push_back(bandwidth_panel(entries));
    model.panels.push_back(options.task_metric.empty() ? error_panel(entries)
                                                       : task_panel(entries, options.task_metric));
  }
  model.legend = {"bar: median", "whisker: 95 % interval"};
  if (any_trap) model.legend.push_back("pale, dashed: the lie");
  if (any_baseline) model.legend.push_back("dashed outline: baseline");
  if (any_peer) model.legend.push_back("grey: a library");
  if (any_hatched) model.legend.push_back("hatched: recorded, another size or unfinished");
  model.summary = summarise(entries);
  return model;
}

}  // namespace ridge::chart
