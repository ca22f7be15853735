#include "common/view/chart/decode.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/core/format.h"
#include "common/view/chart/log_axis.h"

namespace ridge::chart {
namespace {

constexpr double kRoom = 1.3;  // right of the longest bar, for its figure

/// A large model on a CPU makes less than one a second: no thousandths of tokens.
std::string rate_label(double tokens_per_s, const std::string& unit) {
  if (tokens_per_s < 1) return format_number(tokens_per_s) + " " + unit;
  return format_rate(tokens_per_s, unit);
}

std::string tokens_text(double tokens_per_s) {
  return rate_label(tokens_per_s, "tokens/s");
}

std::string missing(const std::string& why) {
  return std::string(kUnavailable) + why;
}

std::string percent_of_floor(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

Mark bar(const DecodeRow& row, size_t index, double value, std::string label) {
  Mark mark{.row = static_cast<int>(index), .value = value, .label = std::move(label)};
  mark.hatched = !row.exact;
  mark.note = fmt::format("{}, {}: {}; {}.", row.label, row.rung, mark.label, row.how);
  return mark;
}

void make_room(Panel* panel) {
  const double most = axis_end(panel->marks);
  if (most > 0) panel->axis.high = most * kRoom;
}

/// A floor that a step went below was none.
bool is_below_floor(const DecodeRow& row) {
  constexpr double kReadsSo = 1.005;  // as "101 %"
  const auto share = share_of_floor(row);
  return share && *share >= kReadsSo;
}

/// A floor of the time is the most tokens that there can be: a grey bar under the measured one.
Mark most_tokens(const DecodeRow& row, size_t index, double tokens) {
  Mark mark{.row = static_cast<int>(index), .value = tokens / *row.floor_s, .role = Role::muted};
  mark.offset = 0.5;
  mark.label = (is_below_floor(row) ? "not held: " : "≤ ") + rate_label(mark.value, "/s");
  mark.note = fmt::format("{}: reading {} takes {} at least, which allows {}.", row.label,
                          format_bytes(row.weight_bytes + row.cache_bytes),
                          format_time_ns(*row.floor_s * 1e9), tokens_text(mark.value));
  return mark;
}

Panel tokens_panel(std::span<const DecodeRow> rows, double tokens) {
  Panel panel{.title = "Tokens", .subtitle = "grey: at most", .metric = "decode_tokens"};
  panel.weight = 1.4f;
  panel.axis = {.title = "Tokens", .unit = "tokens/s"};
  for (size_t i = 0; i < rows.size(); ++i) {
    const DecodeRow& row = rows[i];
    panel.row_reasons.push_back(row.step_s ? "" : row.why);
    if (row.step_s) {
      const double rate = tokens / *row.step_s;
      Mark mark = bar(row, i, rate, rate_label(rate, "/s"));
      mark.offset = -0.5;
      if (row.step_ci_s)
        mark.interval = Interval{tokens / row.step_ci_s->high, tokens / row.step_ci_s->low};
      panel.marks.push_back(std::move(mark));
    }
    if (row.floor_s) panel.marks.push_back(most_tokens(row, i, tokens));
  }
  make_room(&panel);
  return panel;
}

Panel share_panel(std::span<const DecodeRow> rows) {
  Panel panel{.title = "Of the floor", .subtitle = "time at best / time", .metric = "floor_share"};
  panel.axis = {.title = "of what the bandwidth allows", .is_share = true};
  double most = 1;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto share = share_of_floor(rows[i]);
    panel.row_reasons.push_back(share              ? ""
                                : !rows[i].step_s  ? rows[i].why
                                : !rows[i].floor_s ? rows[i].why_no_floor
                                                   : "");
    if (!share) continue;
    panel.marks.push_back(bar(rows[i], i, *share, percent_of_floor(*share)));
    panel.marks.back().role = Role::series1;
    most = std::max(most, *share);
  }
  if (!panel.marks.empty()) panel.rules.push_back({.value = 1, .label = "all of it"});
  panel.axis.high = most * 1.15;
  return panel;
}

Panel energy_panel(std::span<const DecodeRow> rows, double tokens) {
  Panel panel{.title = "Energy", .subtitle = "of a token", .metric = "energy"};
  panel.axis = {.title = "Energy of a token", .unit = "J"};
  for (size_t i = 0; i < rows.size(); ++i) {
    const DecodeRow& row = rows[i];
    panel.row_reasons.push_back(row.energy_j ? "" : row.step_s ? row.why_no_energy : row.why);
    if (!row.energy_j) continue;
    const double energy_j = *row.energy_j / tokens;
    panel.marks.push_back(bar(row, i, energy_j, format_quantity(energy_j, "J")));
    panel.marks.back().role = Role::series2;
  }
  // A machine without a counter has none for any type: said once, across the panel.
  for (const DecodeRow& row : rows) {
    if (panel.marks.empty() && row.step_s) panel.empty_reason = row.why_no_energy;
  }
  make_room(&panel);
  return panel;
}

Panel bytes_panel(std::span<const DecodeRow> rows) {
  Panel panel{.title = "Read in a step", .subtitle = "arithmetic", .metric = "step_bytes"};
  panel.axis = {.title = "Weights, keys and values", .unit = "B"};
  for (size_t i = 0; i < rows.size(); ++i) {
    const DecodeRow& row = rows[i];
    const double bytes = row.weight_bytes + row.cache_bytes;
    Mark mark = bar(row, i, bytes, format_bytes(bytes));
    mark.role = Role::muted;
    mark.hatched = false;
    mark.note = fmt::format("{}: {} of weights, {} of keys and values.", row.label,
                            format_bytes(row.weight_bytes), format_bytes(row.cache_bytes));
    panel.marks.push_back(std::move(mark));
  }
  make_room(&panel);
  return panel;
}

std::string tokens_interval(const DecodeRow& row, double tokens) {
  if (!row.step_ci_s) return kNone;
  return format_rate_interval(Interval{tokens / row.step_ci_s->high, tokens / row.step_ci_s->low},
                              "tokens/s");
}

void add_decode_table(std::span<const DecodeRow> rows, const DecodeOptions& options,
                      ChartModel* model) {
  model->table.columns = {"Weights",        "Rung",           "Tokens a second",
                          "Interval",       "Floor allows",   "Of the floor",
                          "Joules a token", "Read in a step", "How"};
  for (const DecodeRow& row : rows) {
    const auto share = share_of_floor(row);
    model->table.rows.push_back(
        {row.label, row.rung,
         row.step_s ? tokens_text(options.tokens / *row.step_s) : missing(row.why),
         row.step_s ? tokens_interval(row, options.tokens) : "",
         row.floor_s ? tokens_text(options.tokens / *row.floor_s) : missing(row.why_no_floor),
         share ? percent_of_floor(*share) : "",
         row.energy_j ? format_quantity(*row.energy_j / options.tokens, "J")
         : row.step_s ? missing(row.why_no_energy)
                      : "",
         format_bytes(row.weight_bytes + row.cache_bytes), row.step_s ? row.how : ""});
  }
}

/// The fastest against the one with most bits: what fewer bits bought, beside what their bytes promised.
std::string gain_text(std::span<const DecodeRow> rows) {
  const DecodeRow *first = nullptr, *best = nullptr;
  for (const DecodeRow& row : rows) {
    if (!row.step_s) continue;
    if (!first) first = &row;
    if (!best || *row.step_s < *best->step_s) best = &row;
  }
  if (!first) return "No type has a time for every part yet.";
  if (first == best) return fmt::format("None is faster than {}.", first->label);
  const auto bytes = [](const DecodeRow& row) { return row.weight_bytes + row.cache_bytes; };
  return fmt::format("{} makes {:.3g} times the tokens of {}; it reads {:.3g} times fewer bytes.",
                     best->label, *first->step_s / *best->step_s, first->label,
                     bytes(*first) / bytes(*best));
}

}  // namespace

std::optional<double> share_of_floor(const DecodeRow& row) {
  if (!row.step_s || !row.floor_s) return {};
  return *row.floor_s / *row.step_s;
}

ChartModel decode_chart(std::span<const DecodeRow> rows, const DecodeOptions& options) {
  ChartModel model{.id = "decode", .title = options.title, .subtitle = options.model};
  if (!options.machine.empty()) model.subtitle += ". " + options.machine;
  if (options.bytes_per_s)
    model.subtitle += ": " + format_rate(*options.bytes_per_s, "B/s") + " read at most, measured";
  bool all_exact = true;
  for (const DecodeRow& row : rows) {
    model.rows.push_back({.label = row.label, .sublabel = row.rung});
    all_exact = all_exact && (!row.step_s || row.exact);
  }
  model.panels = {tokens_panel(rows, options.tokens), share_panel(rows),
                  energy_panel(rows, options.tokens), bytes_panel(rows)};
  if (std::any_of(rows.begin(), rows.end(), is_below_floor))
    model.legend.push_back(
        "over 100 %: less time than its bytes take at the measured bandwidth; the floor is no "
        "bound here");
  if (!all_exact)
    model.legend.push_back("hatched: reckoned from another size, or recorded elsewhere");
  model.summary = gain_text(rows) + " " + options.note;
  add_decode_table(rows, options, &model);
  return model;
}

}  // namespace ridge::chart
