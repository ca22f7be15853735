#include "common/view/chart/climb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/ratio_text.h"
#include "common/record/stale_words.h"
#include "common/view/chart/log_axis.h"

namespace ridge::chart {
namespace {

/// Above this multiple of the fastest rate a ceiling would take the bars' room.
constexpr double kFarCeiling = 3;
constexpr double kSeen = 1.1;  // a bar so much longer is seen to be
/// Figures so far apart are printed as two: a reader sees that they fall where the badge says faster.
constexpr double kPrinted = 1.002;

Role step_role(const ClimbStep& step) {
  if (bars_disagree(step)) return Role::muted;
  if (step.verdict == Verdict::faster) return Role::faster;
  return step.verdict == Verdict::slower ? Role::slower : Role::muted;
}

bool has_rate(const ClimbRow& row) {
  return row.rate && std::isfinite(*row.rate) && *row.rate > 0;
}

std::string step_cell(const ClimbRow& row) {
  if (row.step) return step_text(*row.step);
  if (!has_rate(row)) return "";
  if (!row.no_step.empty()) return "no step";
  if (!row.no_ratio.empty()) return row.no_ratio;
  return row.is_peer ? "library" : "start";
}

/// Without the ratio's interval and base, and without the reason why there is none.
std::string brief_of(const ClimbRow& row) {
  return !row.step && !row.no_ratio.empty() ? kNone : step_cell(row);
}

/// Whether the ratio alone would say more than is known, or so much that nobody should read it without its interval.
bool needs_interval(const ClimbStep& step) {
  constexpr double kHuge = 10, kWide = 0.1;
  if (!step.verdict || !step.interval) return false;
  const double reach = step.interval->high - step.interval->low;
  return step.ratio >= kHuge || step.ratio <= 1 / kHuge || reach > kWide * step.ratio;
}

/// Whether the bars' figures go the other way than the verdict, by too little for bars_disagree().
bool leans_the_other_way(const ClimbStep& step) {
  if (!step.verdict || !step.alone || bars_disagree(step)) return false;
  return (*step.verdict == Verdict::faster && *step.alone * kPrinted < 1) ||
         (*step.verdict == Verdict::slower && *step.alone > kPrinted);
}

/// With the sign of its verdict.
std::string marked(const ClimbStep& step, const std::string& ratio) {
  if (!std::isfinite(step.ratio) || !(step.ratio > 0)) return "✕ no ratio";
  if (bars_disagree(step)) return "≠ " + ratio;
  const std::string bars = leans_the_other_way(step) ? " ≠" : "";
  switch (*step.verdict) {
    case Verdict::faster:
      return "▲ " + ratio + bars;
    case Verdict::slower:
      return "▼ " + ratio + bars;
    case Verdict::same:
      return "= " + ratio;
    case Verdict::invalid:
      return "✕ no ratio";
    default:
      return "? " + ratio;
  }
}

std::string step_with_interval(const ClimbRow& row) {
  const bool has_interval = row.step && row.step->verdict && row.step->interval;
  if (!has_interval) return step_cell(row);
  const ClimbStep& step = *row.step;
  return marked(step, ratio_text(step.ratio, step.interval)) + " " +
         ratio_interval_text(step.interval, step.margin);
}

/// The ratio of the two bars, where it may be said.
std::optional<double> quoted_alone(const ClimbStep& step) {
  return step.is_alone_rough ? std::nullopt : step.alone;
}

/// Whether the pair, at one clock, says another figure than the bars of rungs that each had a clock of its own.
bool is_of_other_clock(const ClimbStep& step) {
  const std::optional<double> alone = quoted_alone(step);
  return step.verdict && step.equal_clock && alone && !bars_disagree(step) &&
         (step.ratio > kSeen * *alone || *alone > kSeen * step.ratio);
}

/// A pair at one clock says nothing of each rung at its own.
std::string clock_words(const ClimbRow& row) {
  return row.step && row.step->verdict && row.step->equal_clock ? " at equal clock" : "";
}

/// The step with what its ratio is of: over another rung than that of the row above, at another clock than the bars.
std::string with_base(const ClimbRow& row, const std::string& above, std::string cell) {
  if (!row.step) return cell;
  if (is_of_other_clock(*row.step)) cell += " at equal clock";
  if (row.step->from != above) cell += " over " + row.step->from;
  return cell;
}

/// Nothing is to be read off its bar beside the one before it.
bool is_grey(const ClimbRow& row) {
  return row.is_refused || (row.step && is_bar_apart(*row.step));
}

/// Hatching is for what was not measured here at this size: this was.
void set_apart(Mark* mark) {
  mark->role = Role::muted;
  mark->hatched = false;
  mark->outlined = true;
}

Mark bar_of(const ClimbRow& row, int index, const std::string& unit) {
  Mark mark{.row = index, .value = *row.rate, .interval = row.interval};
  mark.role = row.is_peer ? Role::baseline : Role::series0;
  mark.hatched = row.hatched;
  if (is_grey(row)) set_apart(&mark);
  mark.dashed = row.is_baseline;
  mark.note = row.label + ": " + format_rate(*row.rate, unit);
  mark.note += row.interval ? ", 95 % interval " + format_rate_interval(row.interval, unit)
                            : std::string(", no interval");
  if (!row.no_step.empty()) mark.note += ". No step at these parameters: it " + row.no_step;
  return mark;
}

/// In place of the speeds: what a call takes, a dot on a logarithmic axis.
Panel time_panel(std::span<const ClimbRow> rows, const Panel& rates) {
  Panel panel{.title = "Time", .metric = "time_per_call", .weight = rates.weight};
  panel.subtitle = rates.subtitle;
  panel.axis = {.title = "Time of a call", .unit = "s"};
  panel.row_reasons = rates.row_reasons;
  panel.row_roles = rates.row_roles;
  for (size_t i = 0; i < rows.size(); ++i) {
    const ClimbRow& row = rows[i];
    if (!has_rate(row) || !row.time_s || !(*row.time_s > 0)) continue;
    Mark mark{.row = static_cast<int>(i), .value = *row.time_s, .interval = row.time_interval_s};
    mark.role = row.is_peer ? Role::baseline : Role::series0;
    mark.hatched = row.hatched;
    if (is_grey(row)) set_apart(&mark);
    mark.label = format_time_ns(*row.time_s * 1e9);
    mark.note = row.label + ": " + mark.label + " a call";
    panel.marks.push_back(std::move(mark));
  }
  put_on_log_axis(&panel);
  return panel;
}

void add_ceiling(std::span<const ClimbRow> rows, const ClimbOptions& options, double fastest,
                 Panel* panel, std::vector<Row>* names) {
  if (!options.ceiling || !(options.ceiling->value > 0)) return;
  const Ceiling& ceiling = *options.ceiling;
  const bool is_far = ceiling.value > fastest * kFarCeiling && !options.is_climbing;
  if (!(fastest > 0) || is_far) return;
  Rule rule{ceiling.value,
            ceiling.name + ": " + ceiling_text(ceiling, ceiling.value) + ", " + ceiling.source};
  if (!ceiling.doubt.empty()) {
    rule.label += ", in doubt: " + ceiling.doubt;
    rule.role = Role::muted;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].other_unit) continue;
    rule.not_rows.push_back(static_cast<int>(i));
    std::string& words = (*names)[i].sublabel;
    if (has_rate(rows[i])) words += (words.empty() ? "" : "; ") + std::string("another ceiling");
  }
  panel->rules.push_back(std::move(rule));
  panel->axis.high = std::max(panel->axis.high, ceiling.value * 1.02);
}

void add_legend(std::span<const ClimbRow> rows, const ClimbOptions& options, ChartModel* model) {
  const bool log_time = options.log_time;
  const auto any = [&](const auto& has) { return std::any_of(rows.begin(), rows.end(), has); };
  model->legend = {log_time ? "dot: median time, less is faster; a log axis has no zero"
                            : "bar: median, from zero"};
  if (any([](const ClimbRow& row) { return row.interval.has_value(); }))
    model->legend.emplace_back("whisker: 95 % interval");
  if (any([](const ClimbRow& row) { return row.step && row.step->verdict; }))
    model->legend.push_back("▲ ▼ = ?: in turns with " + options.step_from);
  if (any([](const ClimbRow& row) {
        return row.step && (bars_disagree(*row.step) || leans_the_other_way(*row.step));
      }))
    model->legend.emplace_back("≠: in turns it is another way round than the bars");
  if (any([](const ClimbRow& row) { return row.step && !row.step->verdict; }))
    model->legend.emplace_back("≈: each alone, the ratio of two medians");
  if (any([](const ClimbRow& row) { return row.step && !row.step->verdict && row.step->range; }))
    model->legend.emplace_back("from–to: each alone, of unsteady times");
  if (!log_time && any([](const ClimbRow& row) { return row.is_baseline; }))
    model->legend.emplace_back("dashed outline: baseline");
  if (any([](const ClimbRow& row) { return row.is_peer && has_rate(row); }))
    model->legend.emplace_back("grey: a library");
  if (any([](const ClimbRow& row) { return row.step && is_bar_apart(*row.step) && has_rate(row); }))
    model->legend.emplace_back(log_time ? "cross: alone, not as its pair"
                                        : "empty bar: alone, not as its pair");
  if (any([](const ClimbRow& row) { return row.is_refused && has_rate(row); }))
    model->legend.emplace_back(log_time ? "cross: not judged" : "empty bar: not judged");
  if (any([](const ClimbRow& row) { return row.hatched && !is_grey(row) && has_rate(row); }))
    model->legend.push_back((log_time ? "hollow: " : "hatched: ") + std::string("recorded, ") +
                            std::string(kStaleWord) + " or at another size");
}

void add_column(std::span<const ClimbRow> rows, const ClimbColumn& column, size_t at,
                ChartModel* model) {
  Panel panel{.title = column.title,
              .subtitle = column.subtitle,
              .metric = column.metric,
              .is_column = true};
  const auto cell_of = [&](const ClimbRow& row) {
    return at < row.cells.size() ? row.cells[at] : std::string();
  };
  if (std::all_of(rows.begin(), rows.end(), [&](const auto& row) { return cell_of(row).empty(); }))
    return;
  model->table.columns.push_back(column.title);
  for (size_t i = 0; i < rows.size(); ++i) {
    panel.row_reasons.push_back(cell_of(rows[i]));
    panel.row_roles.push_back(Role::muted);
    model->table.rows[i].push_back(cell_of(rows[i]));
  }
  model->panels.push_back(std::move(panel));
}

/// What stands under a row's name: why it is no step, what it was measured at, what its step down or its badge needs.
std::string sublabel_of(const ClimbRow& row, bool is_bare) {
  std::string text = row.no_step.empty() ? "" : "no step: " + row.no_step;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  };
  if (row.step && has_rate(row) && is_bar_apart(*row.step))
    add("alone" + (row.sublabel.empty() ? "" : ", " + row.sublabel) + ": its pair says " +
        ratio_text(row.step->ratio, row.step->interval));
  else
    add(row.sublabel);
  if (row.step && is_of_other_clock(*row.step)) add("alone ≈ " + format_ratio(*row.step->alone));
  if (!row.step || !has_rate(row) || is_bare)
    return text;  // a report has sentences under the chart
  if (bars_disagree(*row.step))
    add(fmt::format("in turns {}", to_string(*row.step->verdict)));
  else if (is_step_down(*row.step))
    add(!row.step->verdict            ? "not compared in turns"
        : row.step->why.brief.empty() ? "slower"
                                      : "slower: " + row.step->why.brief);
  return text;
}

std::string no_ratio_note(const std::string& why) {
  return "No ratio of the two medians: " + why +
         ". Compare the two rungs: in turns they meet the same machine.";
}

std::string summary_of(std::span<const ClimbRow> rows, const std::string& unit) {
  const ClimbRow* best = nullptr;
  size_t measured = 0;
  for (const ClimbRow& row : rows) {
    measured += has_rate(row);
    if (row.is_best) best = &row;
  }
  std::string text =
      fmt::format("A bar for each of {} rungs; {} have a speed.", rows.size(), measured);
  if (best && has_rate(*best))
    text += " The fastest step is " + best->label + " with " + format_rate(*best->rate, unit) + ".";
  return text + " The table has every bar and every step.";
}

}  // namespace

bool are_clear(const Series& a, const Series& b) {
  if (!a.stats || !b.stats || !a.stats->ci_ns || !b.stats->ci_ns) return false;
  return a.stats->ci_ns->high < b.stats->ci_ns->low || b.stats->ci_ns->high < a.stats->ci_ns->low;
}

bool is_step_down(const ClimbStep& step) {
  constexpr double kFelt = 0.98;  // of two medians that were measured minutes apart
  if (step.verdict) return *step.verdict == Verdict::slower;
  return step.is_clear && !step.is_noisy && step.ratio < kFelt;
}

bool bars_disagree(const ClimbStep& step) {
  if (!step.verdict || !step.alone) return false;
  switch (*step.verdict) {
    case Verdict::faster:
      return *step.alone < 1 / (1 + step.margin);
    case Verdict::slower:
      return *step.alone > 1 + step.margin;
    case Verdict::same:
      return *step.alone > kSeen || *step.alone < 1 / kSeen;
    default:
      return false;
  }
}

bool is_bar_apart(const ClimbStep& step) {
  constexpr double kApart = 1.5;
  const std::optional<double> alone = quoted_alone(step);
  if (!step.verdict || !step.interval || !alone || step.equal_clock) return false;
  return *alone > step.interval->high * kApart || *alone * kApart < step.interval->low;
}

std::string step_note(const ClimbStep& step) {
  if (!step.verdict)
    return fmt::format(
        "≈ {} as fast as “{}”: the ratio of two medians. Each was measured alone, so what the "
        "machine did in between is in it.{}",
        format_ratio(step.ratio), step.from,
        step.is_noisy
            ? " Their times scatter, so that the ratio is rough: compare the two rungs to "
              "settle it."
            : "");
  std::string text = fmt::format("In turns with “{}”: {}, {} as fast", step.from,
                                 to_string(*step.verdict), ratio_text(step.ratio, step.interval));
  if (step.interval) text += ", 95 % interval " + ratio_interval_text(step.interval, step.margin);
  text += ".";
  if (const std::optional<double> alone = quoted_alone(step))
    text += fmt::format(" By the bars, each measured alone: ≈ {}.", format_ratio(*alone));
  if (is_of_other_clock(step))
    text +=
        " In turns both ran at one clock. Alone each has a clock of its own: the more power a rung "
        "draws, the lower.";
  if (bars_disagree(step))
    text +=
        " Bars and badge disagree: the bars were each timed alone, the badge is of runs in turns. "
        "The pair counts, since both rungs met the same machine; a bar may be of another minute. "
        "Run both rungs again to settle it.";
  else if (leans_the_other_way(step))
    text +=
        " The bars lean the other way by a little: they were each timed alone, the badge is of "
        "runs "
        "in turns.";
  else if (is_step_down(step) && !step.why.sentence.empty())
    text += " Why: " + step.why.sentence + ".";
  return text;
}

std::string alone_text(double ratio, bool is_noisy) {
  return is_noisy ? "≈ " + rough_number(ratio) + "× noisy" : alone_ratio_text(ratio);
}

std::string step_text(const ClimbStep& step) {
  const bool has_ratio = std::isfinite(step.ratio) && step.ratio > 0;
  const std::string range = step.range ? alone_range_text(*step.range) : "";
  if (has_ratio && !step.verdict)
    return range.empty() ? alone_text(step.ratio, step.is_noisy) : range;
  return marked(step, supported_ratio_text(step.ratio, step.interval));
}

std::string take_shared_words(std::vector<ClimbRow>* rows) {
  constexpr int kFew = 3;
  std::string words;
  int bars = 0;
  for (const ClimbRow& row : *rows) {
    if (!row.rate) continue;
    if (bars++ > 0 && row.sublabel != words) return "";
    words = row.sublabel;
  }
  if (bars < kFew || words.empty()) return "";
  for (ClimbRow& row : *rows) {
    if (row.rate) row.sublabel.clear();
  }
  return words;
}

ChartModel climb_chart(std::span<const ClimbRow> rows, const ClimbOptions& options) {
  ChartModel model{.id = "climb"};
  const bool is_bare = options.has_sentences;
  Panel rates{.title = "Speed", .subtitle = options.timed, .metric = "throughput", .weight = 1};
  rates.axis = {.title = "Speed", .unit = options.unit};
  Panel steps{.title = "Step",
              .subtitle = is_bare ? "speed ratio" : "",
              .metric = "ratio",
              .is_column = true};
  model.table.columns = {"Rung", "Speed", "95 % interval", "Step", "Over"};
  double fastest = 0;
  const ClimbRow* last = nullptr;  // the step above this one
  for (size_t i = 0; i < rows.size(); ++i) {
    const ClimbRow& row = rows[i];
    const bool measured = has_rate(row);
    const std::string above = last ? last->label : "";
    if (!row.is_peer) last = &row;
    model.rows.push_back({.label = row.label,
                          .sublabel = sublabel_of(row, is_bare),
                          .section = row.section,
                          .selected = row.selected || row.is_best,
                          .is_baseline = row.is_baseline,
                          .muted = row.is_peer || !measured || !row.no_step.empty()});
    rates.row_reasons.push_back(measured ? "" : row.reason);
    rates.row_roles.push_back(row.has_failed ? Role::slower : Role::muted);
    const bool is_long = row.step && needs_interval(*row.step);
    std::string cell = is_long ? step_with_interval(row) : step_cell(row);
    cell = with_base(row, above, std::move(cell));
    const bool has_cell = measured || row.step;
    steps.row_briefs.push_back(has_cell ? brief_of(row) : "");
    steps.row_reasons.push_back(has_cell ? std::move(cell) : row.reason);
    steps.row_roles.push_back(row.step ? step_role(*row.step) : Role::muted);
    steps.row_notes.push_back(row.step               ? step_note(*row.step)
                              : row.no_ratio.empty() ? ""
                                                     : no_ratio_note(row.no_ratio));
    if (measured) {
      rates.marks.push_back(bar_of(row, static_cast<int>(i), options.unit));
      fastest = std::max(fastest, *row.rate);
    }
    model.table.rows.push_back(
        {row.label, measured ? format_rate(*row.rate, options.unit) : "unavailable: " + row.reason,
         !measured      ? ""
         : row.interval ? format_rate_interval(row.interval, options.unit)
                        : "unavailable: no interval",
         !measured && !row.step ? "" : step_with_interval(row) + clock_words(row),
         row.step   ? row.step->from
         : measured ? kNone
                    : ""});
  }
  const double high = axis_end(rates.marks);
  rates.axis.high = high > 0 ? high * 1.04 : 1;
  add_ceiling(rows, options, fastest, &rates, &model.rows);
  model.panels = {options.log_time ? time_panel(rows, rates) : rates, steps};
  for (size_t i = 0; i < options.columns.size(); ++i)
    add_column(rows, options.columns[i], i, &model);
  add_legend(rows, options, &model);
  model.summary = summary_of(rows, options.unit);
  return model;
}

}  // namespace ridge::chart
