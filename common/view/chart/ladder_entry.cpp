#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "common/core/format.h"
#include "common/record/caution.h"
#include "common/record/in_turns.h"
#include "common/record/stale_words.h"
#include "common/view/chart/ladder_parts.h"

namespace ridge::chart::parts {
namespace {

std::string sentence(const std::string& head, const std::string& reason) {
  return reason.empty() ? head : head + ": " + reason;
}

bool has_time(const Series& series) {
  return (series.stats && series.stats->n > 0 && series.stats->median_ns > 0) ||
         series.items_per_s > 0;
}

/// Its row has its name already.
std::string without_own_id(const Series& series) {
  const std::string own = series.kernel + ": ";
  return series.reason.starts_with(own) ? series.reason.substr(own.size()) : series.reason;
}

/// The words that stand where a number would.
std::string reason_of(const LadderRow& row, bool* failed) {
  if (!row.series) return row.state.empty() ? "not run yet" : row.state;
  const Series& series = *row.series;
  const QualityCheck* check = series.quality();
  *failed = has_failed(series);
  if (*failed) return failure_text(series);
  const bool has_figure = has_time(series) || series.trap || is_emulated(series);
  if (has_figure && (check || series.may_show_speed())) return {};
  if (!row.state.empty()) return row.state;
  switch (series.status) {
    case SeriesStatus::pending:
      return "waiting for its turn";
    case SeriesStatus::running:
      return check ? "measuring" : "being checked";
    case SeriesStatus::skipped:
      return sentence("skipped", without_own_id(series));
    case SeriesStatus::cancelled:
      return sentence("cancelled before it was measured", series.reason);
    case SeriesStatus::partial:
      return sentence("not finished", series.reason);
    default:
      break;
  }
  if (has_time(series)) return "not verified: no check in this run, so no speed";
  const auto why = series.unavailable.find("stats");
  return sentence("no time measured", why == series.unavailable.end() ? "" : why->second);
}

std::string how_of(const LadderRow& row) {
  std::string text;
  auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  };
  if (!row.origin.empty()) add("recorded on " + row.origin);
  if (!row.series) return text;
  if (row.series->stale) add(stale_reason());
  add(row.series->note);
  if (!row.series->reduced_from.empty())
    add("ran at a reduced size instead of " + row.series->reduced_from);
  if (row.series->status == SeriesStatus::partial) add(sentence("partial", row.series->reason));
  if (row.series->status == SeriesStatus::cancelled) add("cancelled, shows what was measured");
  if (row.series->stats) {
    for (const std::string& flag : row.series->stats->flags) add(name_in_words(flag));
  }
  return text;
}

/// The size a reduced rung ran at, in the parameters that `reduced_from` names: "at n=512".
std::string reduced_size(const Series& series) {
  std::string text;
  size_t start = 0;
  const std::string& from = series.reduced_from;
  while (start < from.size()) {
    const size_t equals = from.find('=', start);
    if (equals == std::string::npos) break;
    const size_t end = std::min(from.find_first_of(" ,", equals), from.size());
    const auto param = series.params.find(from.substr(start, equals - start));
    if (param != series.params.end()) {
      const auto* number = std::get_if<int64_t>(&param->second);
      text += (text.empty() ? "at " : " ") + param->first + "=" +
              (number ? std::to_string(*number) : std::get<std::string>(param->second));
    }
    start = from.find_first_not_of(" ,", end);
  }
  return text.empty() ? "not at " + from : text + ", not " + from;
}

}  // namespace

std::string of_machine(const LadderRow& row) {
  return row.origin.empty() ? "" : " of " + row.origin;
}

std::string sublabel_of(const LadderRow& row) {
  std::string text;
  auto add = [&](const std::string& part) { text += (text.empty() ? "" : " · ") + part; };
  if (row.is_baseline) add("baseline");
  if (!row.sublabel.empty()) add(row.sublabel);  // its size: what follows may not find room
  if (row.series && row.series->stale) add(std::string(kStaleWord));
  if (!row.origin.empty() && row.sublabel.empty()) add("recorded on " + row.origin);
  if (row.in_turns) add(kTimedInTurns);
  if (row.series) {
    if (!row.series->reduced_from.empty()) add(reduced_size(*row.series));
    if (!row.series->curve.empty()) {
      add(format_time_ns(row.series->curve.back().t_s * 1e9) + " of training");
    }
    if (row.series->status == SeriesStatus::partial) add("partial");
    if (row.series->status == SeriesStatus::cancelled && has_time(*row.series)) add("cancelled");
    const std::string caution = row.series->stats ? caution_of(*row.series->stats) : "";
    if (!caution.empty()) add(caution);
  }
  return text;
}

Entry make_entry(const LadderRow& row) {
  Entry entry;
  entry.row = &row;
  entry.series = row.series;
  entry.reason = reason_of(row, &entry.failed);
  entry.how = how_of(row);
  if (!row.series || !entry.reason.empty()) return entry;
  const Series& series = *row.series;
  static const Run kNoRun;  // without ceilings
  const Run& run = row.run ? *row.run : kNoRun;
  const std::vector<Ceiling>& ceilings = run.ceilings();
  entry.derived = derive(series, run);
  entry.hatched = !row.origin.empty() || series.stale || !series.reduced_from.empty() ||
                  series.status == SeriesStatus::partial ||
                  series.status == SeriesStatus::cancelled;
  if (is_emulated(series)) return entry;
  auto named = [&](const std::optional<Utilization>& of) -> const Ceiling* {
    if (!of) return nullptr;
    const auto found = std::find_if(ceilings.begin(), ceilings.end(),
                                    [&](const Ceiling& c) { return c.name == of->name; });
    return found == ceilings.end() ? nullptr : &*found;
  };
  entry.flop = named(entry.derived.compute);
  entry.dram = named(entry.derived.bandwidth);
  if (series.stats && series.stats->n > 0 && series.stats->median_ns > 0) {
    entry.call_s = series.stats->median_ns * 1e-9;
    if (series.stats->ci_ns) {
      entry.call_ci_s = {series.stats->ci_ns->low * 1e-9, series.stats->ci_ns->high * 1e-9};
    }
  } else if (series.items_per_s > 0) {
    entry.call_s = 1 / series.items_per_s;  // a pipeline: time per item at its steady pace
  } else if (series.trap && series.trap->unit == "s") {
    entry.call_s = series.trap->honest.median;
    entry.call_ci_s = series.trap->honest.ci;
  }
  if (const auto item = item_time(series); entry.call_s && item) {
    entry.item_s = item->s;
    entry.item_ci_s = item->ci_s;
  }
  return entry;
}

bool is_number(const std::optional<double>& value) {
  return value && std::isfinite(*value);
}

Mark mark_for(const Entry& entry, int row, double value, Role role) {
  Mark mark{.row = row, .value = value, .role = role};
  mark.hatched = entry.hatched;
  mark.dashed = entry.row->is_baseline;
  if (entry.row->is_baseline || entry.row->is_peer) mark.role = Role::baseline;
  return mark;
}

std::string with_how(const std::string& note, const Entry& entry) {
  return entry.how.empty() ? note : note + " (" + entry.how + ")";
}

void settle_reasons(const std::vector<Entry>& entries, Panel* panel) {
  if (!panel->marks.empty()) return;
  std::set<std::string> own;
  bool any_measured = false;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].reason.empty()) continue;
    any_measured = true;
    own.insert(panel->row_reasons[i]);
  }
  if (!any_measured || own.size() != 1) return;
  panel->empty_reason = "unavailable: " + *own.begin();
  panel->leaves_when_empty = true;
}

}  // namespace ridge::chart::parts

namespace ridge::chart {

bool has_failed(const Series& series) {
  const QualityCheck* check = series.quality();
  return series.status == SeriesStatus::failed || (check && !series.quality_passed());
}

std::string failure_text(const Series& series) {
  const QualityCheck* check = series.quality();
  const bool is_check = check && !series.quality_passed();
  const std::string why = !series.reason.empty() ? series.reason : check ? check->reason : "";
  return parts::sentence(is_check ? "✕ check failed, no speed" : "✕ failed", why);
}

std::vector<LadderRow> with_marks(std::span<const LadderRow> rows) {
  std::vector<LadderRow> marked(rows.begin(), rows.end());
  for (LadderRow& row : marked) {
    row.label = with_stale(std::move(row.label), row.series && row.series->stale);
  }
  return marked;
}

std::string why_no_figure(const LadderRow& row) {
  bool failed = false;
  std::string why = parts::reason_of(row, &failed);
  const bool is_cut = row.series && row.series->status == SeriesStatus::cancelled;
  return why.empty() && is_cut ? "cancelled before it was measured to its end" : why;
}

}  // namespace ridge::chart
