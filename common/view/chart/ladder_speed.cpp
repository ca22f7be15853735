#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/view/chart/ladder_parts.h"
#include "common/view/chart/log_axis.h"

namespace ridge::chart::parts {
namespace {

std::string ceiling_text(const Ceiling& ceiling) {
  return ridge::ceiling_text(ceiling, ceiling.value) + ", " + ceiling.source;
}

/// The rows of a recording have their machine's ceilings, not this one's.
std::string of_its_machine(const std::vector<Entry>& entries, const Ceiling* Entry::*member,
                           const Ceiling& ceiling) {
  for (const Entry& entry : entries) {
    if (entry.*member == &ceiling) return of_machine(*entry.row);
  }
  return "";
}

/// The rows whose rungs run on another processor than the ceiling's: its line says nothing of them.
std::vector<int> rows_beside(const std::vector<Entry>& entries, const Ceiling& ceiling) {
  std::vector<int> rows;
  for (size_t i = 0; i < entries.size(); ++i) {
    const LadderRow& row = *entries[i].row;
    const auto processor =
        row.series ? std::optional(backend_of(row.series->kernel)) : row.processor;
    if (processor && *processor != ceiling.backend) rows.push_back(static_cast<int>(i));
  }
  return rows;
}

/// The one ceiling that all rows share, or null.
const Ceiling* shared_ceiling(const std::vector<Entry>& entries, const Ceiling* Entry::*member) {
  const Ceiling* shared = nullptr;
  for (const Entry& entry : entries) {
    const Ceiling* ceiling = entry.*member;
    if (!ceiling) continue;
    if (shared && (shared->name != ceiling->name || shared->value != ceiling->value))
      return nullptr;
    shared = ceiling;
  }
  return shared;
}

/// Two recordings of one machine measured a ceiling twice: one line, with the least and the most. What differs by more
/// is another machine's.
std::vector<std::pair<const Ceiling*, const Ceiling*>> measured_apart(
    const std::vector<const Ceiling*>& all) {
  constexpr double kApart = 1.1;
  std::vector<std::pair<const Ceiling*, const Ceiling*>> ranges;
  for (const Ceiling* one : all) {
    const auto known = std::find_if(ranges.begin(), ranges.end(), [&](const auto& range) {
      return range.first->name == one->name && one->value < range.first->value * kApart &&
             range.second->value < one->value * kApart;
    });
    if (known == ranges.end()) {
      ranges.emplace_back(one, one);
      continue;
    }
    if (one->value < known->first->value) known->first = one;
    if (one->value > known->second->value) known->second = one;
  }
  return ranges;
}

/// Beside a row's share of the FLOP ceiling, its share of the one for exponentials.
std::optional<Mark> exponentials_mark(const Entry& entry, const Mark& bar) {
  const WorkRate* exp = entry.derived.rate_of("exp");
  if (exp == nullptr || !exp->share || !std::isfinite(exp->share->value)) return std::nullopt;
  Mark mark{.row = bar.row, .value = exp->share->value, .role = Role::series3};
  mark.marker = Marker::diamond;
  mark.beside = true;
  mark.note = with_how(fmt::format("{}: {} exponentials, {} of {}, {}", entry.row->label,
                                   format_rate(exp->per_s, "/s"), format_share(exp->share->value),
                                   exp->share->name, exp->share->source),
                       entry);
  return mark;
}

/// A speed is of the run in view, its accuracy beside it a mean over the seeds.
constexpr const char* kOneSeed = "one seed";

bool has_several_seeds(const std::vector<Entry>& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const Entry& entry) {
    return entry.row->over_seeds && entry.row->over_seeds->seeds > 1;
  });
}

}  // namespace

Panel time_panel(const std::vector<Entry>& entries, const std::string& item) {
  const std::string title = "Time per " + (item.empty() ? "call" : item);
  Panel panel{.title = title,
              .subtitle = "each alone",
              .metric = item.empty() ? "time_per_call" : "time_per_item",
              .weight = 1.35f};
  panel.axis = {.title = title, .unit = "s"};
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const bool emulated = entry.reason.empty() && entry.series && is_emulated(*entry.series);
    panel.row_reasons.push_back(emulated ? kEmulated : entry.reason);
    panel.row_roles.push_back(entry.failed ? Role::slower : Role::muted);
    const auto& time_s = item.empty() ? entry.call_s : entry.item_s;
    if (!is_number(time_s)) continue;
    Mark mark = mark_for(entry, static_cast<int>(i), *time_s, Role::series0);
    mark.interval = item.empty() ? entry.call_ci_s : entry.item_ci_s;
    mark.label = format_time_ns(*time_s * 1e9);  // a ladder spans decades: each its own unit
    if (entry.series->kind == RungKind::training) mark.label += " a step";
    std::string note = entry.row->label + ": " + format_time_ns(*entry.call_s * 1e9);
    if (!item.empty()) note += " a call, " + mark.label + " an " + item;
    if (entry.series->stats) {
      note += entry.series->stats->ci_ns
                  ? ", 95 % interval " + format_time_interval(entry.series->stats->ci_ns)
                  : ", no interval under 6 samples";
      note += fmt::format(", {} samples", entry.series->stats->n);
    }
    if (const std::string energy = energy_text(*entry.series, entry.derived); !energy.empty()) {
      note += "; energy a call " + energy + " (" + entry.series->energy_source + ")";
    }
    mark.note = with_how(note, entry);
    panel.marks.push_back(mark);
  }
  if (has_several_seeds(entries)) panel.subtitle += std::string(", ") + kOneSeed;
  put_on_log_axis(&panel);
  settle_reasons(entries, &panel);
  return panel;
}

Panel utilization_panel(const std::vector<Entry>& entries) {
  Panel panel{.title = "Utilization", .subtitle = "of compute", .metric = "utilization"};
  panel.axis = {.title = "Utilization", .is_share = true};
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const auto& use = entry.derived.compute;
    panel.row_reasons.push_back(!entry.reason.empty()         ? entry.reason
                                : entry.derived.above_compute ? "over 100 %"
                                                              : entry.derived.no_compute_reason);
    if (!entry.reason.empty() || !use || !std::isfinite(use->value)) continue;
    Mark mark = mark_for(entry, static_cast<int>(i), use->value, Role::series0);
    if (entry.derived.flop_per_s_ci && entry.flop && entry.flop->value > 0) {
      mark.interval = {entry.derived.flop_per_s_ci->low / entry.flop->value,
                       entry.derived.flop_per_s_ci->high / entry.flop->value};
    }
    mark.note =
        with_how(fmt::format("{}: {} of {}{}{}, {}", entry.row->label, format_share(use->value),
                             use->name, entry.flop ? " (" + ceiling_text(*entry.flop) + ")" : "",
                             clocks_text(*use), use->source),
                 entry);
    panel.marks.push_back(mark);
    if (auto other = exponentials_mark(entry, mark)) panel.marks.push_back(std::move(*other));
  }
  panel.axis.high = std::max(1.0, axis_end(panel.marks)) * 1.04;
  if (!panel.marks.empty()) {
    const Ceiling* shared = shared_ceiling(entries, &Entry::flop);
    panel.rules.push_back({1,
                           shared ? shared->name + of_its_machine(entries, &Entry::flop, *shared) +
                                        ": " + ceiling_text(*shared)
                                  : "100 %: its own measured ceiling",
                           Role::text,
                           shared ? rows_beside(entries, *shared) : std::vector<int>()});
  }
  settle_reasons(entries, &panel);
  return panel;
}

Panel items_panel(const std::vector<Entry>& entries, const std::string& items) {
  Panel panel{.title = "Throughput", .metric = "throughput"};
  panel.axis = {.title = "Throughput", .unit = items + "/s"};
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    panel.row_reasons.push_back(!entry.reason.empty() ? entry.reason
                                                      : "does not work off " + items);
    if (!entry.reason.empty() || !(entry.series->items_per_s > 0)) continue;
    const double rate = entry.series->items_per_s;
    Mark mark = mark_for(entry, static_cast<int>(i), rate, Role::series0);
    mark.label = format_rate(rate, "/s");  // the heading says of what
    mark.note = with_how(entry.row->label + ": " + format_rate(rate, items + "/s"), entry);
    panel.marks.push_back(mark);
  }
  if (has_several_seeds(entries)) panel.subtitle = kOneSeed;
  put_on_log_axis(&panel);
  settle_reasons(entries, &panel);
  return panel;
}

Panel memory_panel(const std::vector<Entry>& entries) {
  Panel panel{.title = "Memory", .subtitle = "held while it trains", .metric = "memory"};
  panel.axis = {.title = "Memory", .unit = "B"};
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    panel.row_reasons.push_back(!entry.reason.empty() ? entry.reason : "not reported");
    if (!entry.reason.empty() || !(entry.series->memory_bytes > 0)) continue;
    Mark mark = mark_for(entry, static_cast<int>(i), entry.series->memory_bytes, Role::series2);
    mark.label = format_bytes(mark.value);
    mark.note = with_how(entry.row->label + ": " + mark.label +
                             (entry.series->note.empty() ? "" : "; " + entry.series->note),
                         entry);
    panel.marks.push_back(mark);
    panel.axis.high = std::max(panel.axis.high, mark.value * 1.04);
  }
  settle_reasons(entries, &panel);
  return panel;
}

/// Memory of the processor that all marks are of; none where they are of several: a line belongs to one machine, and
/// others' marks above it would be a lie.
std::vector<const Ceiling*> shared_dram(const std::vector<Entry>& entries) {
  std::set<std::pair<std::string, std::string>> machines;  // origin, backend
  std::vector<const Ceiling*> found;
  for (const Entry& entry : entries) {
    if (!entry.reason.empty() || !is_number(entry.derived.bytes_per_s)) continue;
    machines.emplace(entry.row->origin, backend_of(entry.series->kernel).text());
    if (entry.dram) found.push_back(entry.dram);
  }
  return machines.size() == 1 ? found : std::vector<const Ceiling*>();
}

Panel bandwidth_panel(const std::vector<Entry>& entries) {
  Panel panel{.title = "Bandwidth", .subtitle = "least bytes/s", .metric = "memory_bandwidth"};
  panel.axis = {.title = "Memory bandwidth", .unit = "B/s"};
  double low = INFINITY;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    panel.row_reasons.push_back(!entry.reason.empty() ? entry.reason
                                                      : entry.derived.no_bandwidth_reason);
    if (!entry.reason.empty() || !is_number(entry.derived.bytes_per_s)) continue;
    Mark mark = mark_for(entry, static_cast<int>(i), *entry.derived.bytes_per_s, Role::series2);
    mark.interval = entry.derived.bytes_per_s_ci;
    mark.label = format_rate(mark.value, "B/s");
    std::string note = entry.row->label + ": " + format_rate(mark.value, "B/s") +
                       " if every input is read once and every output written once";
    if (entry.derived.bandwidth) {
      note += ", " + format_share(entry.derived.bandwidth->value) + " of " +
              entry.derived.bandwidth->name + clocks_text(*entry.derived.bandwidth);
    } else if (!entry.derived.no_bandwidth_reason.empty()) {
      note += "; " + entry.derived.no_bandwidth_reason;
    }
    mark.note = with_how(note, entry);
    panel.marks.push_back(mark);
    low = std::min(low, mark.value);
  }
  double high = axis_end(panel.marks);
  // A CPU's naive loop and a GPU's memory lie five decades apart: on one line most bars would vanish.
  constexpr double kLinearSpread = 20;
  const bool is_wide = low > 0 && high > low * kLinearSpread;
  if (is_wide) put_on_log_axis(&panel);
  for (const auto& [least, most] : measured_apart(shared_dram(entries))) {
    const std::string range = ceiling_text(*least) == ceiling_text(*most)
                                  ? ""
                                  : format_quantity(least->value, least->unit) + " to ";
    panel.rules.push_back({most->value,
                           most->name + of_its_machine(entries, &Entry::dram, *most) + ": " +
                               range + ceiling_text(*most),
                           Role::text, rows_beside(entries, *most)});
    high = std::max(high, most->value);
  }
  if (!is_wide)
    panel.axis.high = high > 0 ? high * 1.04 : 1;
  else
    panel.axis.high = std::max(panel.axis.high, high * 1.25);
  settle_reasons(entries, &panel);
  return panel;
}

}  // namespace ridge::chart::parts
