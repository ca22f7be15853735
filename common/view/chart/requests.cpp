#include "common/view/chart/requests.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/core/format.h"
#include "common/record/stale_words.h"

namespace ridge::chart {
namespace {

constexpr double kSideBySide = 4;  // sectors of 32 lanes that read 4 bytes each, side by side
constexpr double kRoom = 1.25;     // for the labels behind the bars

/// A bar for each rung that makes such requests at all.
template <class PartOf, class EachOf>
Panel cost_panel(std::span<const RequestRow> rows, const char* title, const char* what,
                 const char* metric, PartOf part_of, EachOf each_of) {
  Panel panel{.title = title, .subtitle = std::string(what) + " a request", .metric = metric};
  panel.axis = {.title = what};
  double high = 1;
  for (size_t i = 0; i < rows.size(); ++i) {
    const RequestRow& row = rows[i];
    panel.row_reasons.push_back(row.counts == nullptr ? row.reason : "");
    if (row.counts == nullptr) continue;
    const MemoryTraffic traffic = part_of(row.counts->total().counts);
    if (traffic.requests == 0) {
      panel.row_reasons.back() = "none";
      continue;
    }
    const double each = each_of(traffic);
    high = std::max(high, each);
    Mark mark{.row = static_cast<int>(i), .value = each, .role = Role::series2};
    mark.label = format_tick(each);
    mark.note = fmt::format("{}: {} requests, {} {}: {} a request", row.label,
                            format_count(double(traffic.requests)),
                            format_count(each * double(traffic.requests)), what, format_tick(each));
    panel.marks.push_back(std::move(mark));
  }
  panel.axis.high = kRoom * high;
  return panel;
}

Panel bound_panel(std::span<const RequestRow> rows, const std::string& chip) {
  Panel panel{
      .title = "Over the bound", .subtitle = "as recorded, " + chip, .metric = "bound_ratio"};
  panel.axis = {.title = "times the bound"};
  double high = 1;
  for (size_t i = 0; i < rows.size(); ++i) {
    const RequestRow& row = rows[i];
    const bool is_known = row.bound_s > 0 && row.recorded_s > 0;
    panel.row_reasons.push_back(is_known                ? ""
                                : row.counts == nullptr ? row.reason
                                : row.bound_s > 0       ? "not recorded there"
                                                        : "no bound");
    if (!is_known) continue;
    Mark mark{.row = static_cast<int>(i), .value = row.recorded_s / row.bound_s};
    mark.label = fmt::format("{:.2f}", mark.value);
    mark.note = row.label + ": " + row.bound_note;
    high = std::max(high, mark.value);
    panel.marks.push_back(std::move(mark));
  }
  panel.rules.push_back({.value = 1, .label = "bound", .role = Role::limit});
  panel.axis.high = kRoom * high;
  return panel;
}

}  // namespace

ChartModel requests_chart(std::span<const RequestRow> rows, const std::string& chip) {
  ChartModel model{.id = "requests", .title = "What a request costs"};
  for (const RequestRow& row : rows)
    model.rows.push_back({.label = row.label,
                          .sublabel = with_stale("", row.counts != nullptr && row.counts->stale),
                          .section = row.section,
                          .selected = row.selected});
  model.panels = {cost_panel(
                      rows, "Device memory", "sectors", "sectors_per_request",
                      [](const SiteCounts& counts) { return counts.global(); },
                      [](const MemoryTraffic& one) { return one.sectors_per_request(); }),
                  cost_panel(
                      rows, "Shared memory", "wavefronts", "wavefronts_per_request",
                      [](const SiteCounts& counts) { return counts.shared(); },
                      [](const MemoryTraffic& one) { return one.wavefronts_per_request(); }),
                  bound_panel(rows, chip)};
  model.panels[0].rules.push_back(
      {.value = kSideBySide, .label = "side by side", .role = Role::muted});
  const auto counted = std::count_if(rows.begin(), rows.end(),
                                     [](const RequestRow& row) { return row.counts != nullptr; });
  if (counted == 0) {
    for (Panel& panel : model.panels) panel.empty_reason = "Count the rungs: no GPU is needed.";
  }
  model.summary =
      fmt::format("{} of {} rungs are counted. Counted here, not timed.", counted, rows.size());
  model.subtitle = model.summary;
  model.legend = {
      "sectors: 32 bytes each; 32 lanes that read 4 bytes side by side ask for 4",
      "wavefronts: passes through the banks of shared memory; 1 where no bank is asked for two "
      "words",
      "bound: what a chip needs at least for what was counted, none of its parts waiting"};
  model.table.columns = {"Rung", "Sectors a request", "Wavefronts a request",
                         "Recorded over the bound"};
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> cells = {rows[i].label};
    for (const Panel& panel : model.panels) {
      const auto mark = std::find_if(panel.marks.begin(), panel.marks.end(), [&](const Mark& one) {
        return one.row == static_cast<int>(i);
      });
      cells.push_back(mark != panel.marks.end() ? mark->label
                                                : "unavailable: " + panel.row_reasons[i]);
    }
    model.table.rows.push_back(std::move(cells));
  }
  return model;
}

}  // namespace ridge::chart
