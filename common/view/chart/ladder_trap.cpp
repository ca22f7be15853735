// Traps on the ladder: the lie as a grey diamond under the honest dot, the factor between them, and what
// the guard said.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/record/trap.h"
#include "common/view/chart/ladder_parts.h"
#include "common/view/chart/log_axis.h"

namespace ridge::chart::parts {
namespace {

constexpr float kAbove = -0.5f, kBelow = 0.5f;
/// Its factors lie decades apart: it has the room, and what the guard said is left out first.
constexpr float kFactor = 2.6f;

const TrapOutcome* trap_of(const Entry& entry) {
  return entry.reason.empty() && entry.series && entry.series->trap ? &*entry.series->trap
                                                                    : nullptr;
}

/// Why there is neither factor nor guard: an ordinary kernel of the same lab.
std::string no_trap(const Entry& entry) {
  return entry.reason.empty() ? "a kernel, measured like any other" : entry.reason;
}

/// "49 300× low" on its axis, where a time's lie and a speed's lie lie on different sides.
std::string short_bias(const TrapOutcome& trap) {
  const std::string text = bias_text(trap);
  const bool is_off = trap.bias == "high" || trap.bias == "low";
  return is_off ? text.substr(0, text.find(" too ")) + " " + trap.bias
                : text.substr(0, text.find(','));
}

std::string note_of(const Entry& entry, const TrapOutcome& trap) {
  return with_how(
      fmt::format("{}, {} of {}: the lie reads {} {}, the honest figure is {} {} "
                  "(medians, 95 % intervals, {} rounds): {}",
                  entry.row->label, trap.quantity, trap.victim, reading_text(trap, trap.lie),
                  reading_interval_text(trap, trap.lie), reading_text(trap, trap.honest),
                  reading_interval_text(trap, trap.honest), trap.rounds, bias_text(trap)),
      entry);
}

}  // namespace

void set_lies_beside(const std::vector<Entry>& entries, Panel* panel) {
  panel->title = "Honest time, and the lie";
  const bool is_all_traps = std::all_of(entries.begin(), entries.end(), [](const Entry& entry) {
    return trap_of(entry) || !entry.reason.empty();
  });
  panel->subtitle = is_all_traps ? "in turns" : "lies in turns";
  std::vector<Mark> lies;
  for (Mark& honest : panel->marks) {
    const Entry& entry = entries[static_cast<size_t>(honest.row)];
    const TrapOutcome* trap = trap_of(entry);
    if (!trap) continue;
    honest.offset = kAbove;
    honest.note = note_of(entry, *trap);
    Mark lie = honest;
    lie.offset = kBelow;
    lie.value = trap->lie.median;
    lie.interval = trap->lie.ci;
    lie.label = reading_text(*trap, trap->lie);
    lie.role = Role::muted;
    lie.marker = Marker::diamond;  // a shape of its own: hollow is what was recorded
    lies.push_back(std::move(lie));
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    const TrapOutcome* trap = trap_of(entries[i]);
    if (!trap || trap->unit == "s") continue;
    panel->row_reasons[i] =
        reading_text(*trap, trap->lie) + " said, " + reading_text(*trap, trap->honest) + " is";
  }
  panel->marks.insert(panel->marks.end(), lies.begin(), lies.end());
  put_on_log_axis(panel);
}

Panel factor_panel(const std::vector<Entry>& entries) {
  Panel panel{
      .title = "The lie over the honest figure", .metric = "trap_factor", .weight = kFactor};
  panel.axis = {.title = "Factor", .scale = Scale::log};
  double low = 0.5, high = 2;
  for (size_t i = 0; i < entries.size(); ++i) {
    const TrapOutcome* trap = trap_of(entries[i]);
    panel.row_reasons.push_back(trap ? "" : no_trap(entries[i]));
    if (!trap) continue;
    Mark mark{.row = static_cast<int>(i), .value = trap->factor, .role = Role::series1};
    mark.interval = trap->ci;
    mark.marker = Marker::dot;
    mark.hatched = entries[i].hatched;
    mark.label = short_bias(*trap);
    mark.note = note_of(entries[i], *trap);
    panel.marks.push_back(mark);
    low = std::min({low, mark.value, trap->ci ? trap->ci->low : mark.value});
    high = std::max({high, mark.value, trap->ci ? trap->ci->high : mark.value});
  }
  panel.axis.low = low / 2;
  panel.axis.high = high * 2;
  if (!panel.marks.empty()) panel.rules.push_back({1, "honest", Role::text});
  settle_reasons(entries, &panel);
  return panel;
}

Panel guard_panel(const std::vector<Entry>& entries) {
  Panel panel{.title = "What the guard said", .subtitle = kGuardMeasures, .metric = "trap_guard"};
  panel.weight = 1.35f;
  panel.is_text = true;
  for (const Entry& entry : entries) {
    const TrapOutcome* trap = trap_of(entry);
    panel.row_reasons.push_back(trap ? guard_text(*trap) : no_trap(entry));
  }
  return panel;
}

ChartTable trap_table(const std::vector<Entry>& entries) {
  ChartTable table{.columns = {"Trap", "Honest", "95 % interval", "The lie", "95 % interval",
                               "The lie reads",
                               "What the guard said, " + std::string(kGuardMeasures)}};
  for (const Entry& entry : entries) {
    std::vector<std::string> cells = {entry.row->label};
    if (const TrapOutcome* trap = trap_of(entry)) {
      cells.insert(cells.end(),
                   {reading_text(*trap, trap->honest), reading_interval_text(*trap, trap->honest),
                    reading_text(*trap, trap->lie), reading_interval_text(*trap, trap->lie),
                    bias_text(*trap), guard_text(*trap)});
    } else if (entry.call_s) {
      cells.push_back(format_time_ns(*entry.call_s * 1e9));
      cells.push_back(entry.call_ci_s ? format_time_interval(Interval{entry.call_ci_s->low * 1e9,
                                                                      entry.call_ci_s->high * 1e9})
                                      : kNone);
      cells.push_back(no_trap(entry));
    } else {
      cells.push_back("unavailable: " + no_trap(entry));
    }
    cells.resize(table.columns.size());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace ridge::chart::parts
