// Inside of ladder_chart(): what one row shows, worked out once and used by all panels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/record/derive.h"
#include "common/view/chart/ladder.h"

namespace ridge::chart::parts {

struct Entry {
  const LadderRow* row = nullptr;
  const Series* series = nullptr;
  Derived derived;
  const Ceiling* flop = nullptr;
  const Ceiling* dram = nullptr;
  std::optional<double> call_s;  ///< median time per call
  std::optional<Interval> call_ci_s;
  std::optional<double> item_s;  ///< median time per item, of what counts items
  std::optional<Interval> item_ci_s;
  std::string reason;  ///< why there are no marks; empty: there are
  std::string how;     ///< for notes: "recorded on NVIDIA H200; ran at n=512"
  bool failed = false, hatched = false;
};

Entry make_entry(const LadderRow& row);
/// " of NVIDIA H200": after the name of a ceiling that a recording brought; empty: it is this machine's.
std::string of_machine(const LadderRow& row);
/// What stands under the row's label: baseline, where it was recorded, the size it ran at.
std::string sublabel_of(const LadderRow& row);

bool is_number(const std::optional<double>& value);
/// A mark in the style of its row: hatched, dashed, grey.
Mark mark_for(const Entry& entry, int row, double value, Role role);
/// The note, with how the figure came about in brackets.
std::string with_how(const std::string& note, const Entry& entry);
/// A panel whose rows all lack the same thing says it once, over the whole panel.
void settle_reasons(const std::vector<Entry>& entries, Panel* panel);

/// `item`: what a time is of ("operation"); empty: of a call.
Panel time_panel(const std::vector<Entry>& entries, const std::string& item = "");
Panel utilization_panel(const std::vector<Entry>& entries);
/// Items a second: the rate of what is not counted in FLOP.
Panel items_panel(const std::vector<Entry>& entries, const std::string& items);
Panel bandwidth_panel(const std::vector<Entry>& entries);
/// Of trainings, which count no bytes but hold many.
Panel memory_panel(const std::vector<Entry>& entries);
/// NMSE against float64 with the limit of the gate. A rung that failed shows its error, as a cross:
/// the error is the evidence. What is judged by the task metric has none to show.
Panel error_panel(const std::vector<Entry>& entries, const std::string& task_metric);
/// Whether the metric stands in place of an error that a limit is set to.
bool is_judged_by(const QualityCheck& check, const std::string& metric);
/// Traps: puts the lie of each beside the honest bar of the time panel.
void set_lies_beside(const std::vector<Entry>& entries, Panel* panel);
/// Traps: lie / honest with its interval, and what the guard said.
Panel factor_panel(const std::vector<Entry>& entries);
Panel guard_panel(const std::vector<Entry>& entries);
/// What those three panels show, as a table.
ChartTable trap_table(const std::vector<Entry>& entries);
/// The task metric's difference to the baseline row (to the first row that has one otherwise).
Panel task_panel(const std::vector<Entry>& entries, const std::string& metric);

}  // namespace ridge::chart::parts
