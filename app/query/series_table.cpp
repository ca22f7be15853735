#include "app/query/series_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/record/command.h"
#include "common/record/derive.h"
#include "common/record/edit.h"
#include "common/record/params.h"
#include "common/record/ratio_text.h"
#include "common/record/request.h"
#include "common/record/seed_delta.h"
#include "common/view/report/content.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

constexpr const char* kFewCell = "few";

std::string half_width(const Stats& stats) {
  if (!(stats.median_ns > 0)) return "";
  if (!stats.ci_ns) return kFewCell;
  const double spread = spread_of(stats);
  return spread > 1 ? "> 100 %" : format_percent_width(spread);
}

std::string error_cell(const Series& series) {
  const QualityCheck* check = series.quality();
  if (!check) return series.status == SeriesStatus::skipped ? "" : "not checked";
  const char* mark = series.quality_passed() ? " ✓" : " ✗";
  if (series.kind == RungKind::command) return series.quality_passed() ? "passed ✓" : "failed ✗";
  if (check->nmse_limit > 0 || check->task.empty()) {
    // A sum of squares leaves out what is not a number.
    return (check->nan_count > 0 ? "NaN" : format_scientific(check->nmse)) + mark;
  }
  const auto& [name, value] = *check->task.begin();
  return fmt::format("{} {}{}", name, format_number(value), mark);
}

std::string marked(std::string cell, bool is_doubted) {
  return is_doubted ? std::move(cell) + " " + kDoubtMark : std::move(cell);
}

std::string rate_cell(const std::optional<double>& value, const char* unit) {
  return value ? format_rate(*value, unit) : "";
}

/// "104 % ?" where it passes its ceiling; of a pipeline it is a share of a time, which it may pass.
std::string share_cell(const Series& series, const Derived& derived) {
  if (!derived.compute) return "";
  const bool is_over = !series.pipeline && reads_over(derived.compute);
  return marked(format_share(derived.compute->value), is_over);
}

/// Whether rungs of several types stand in one table: where items are counted, one is worth the same in each. (An operation
/// is not.)
bool shares_types(const Series& series) {
  return series.params.contains("dtype") && series.items_per_s > 0;
}

/// What all rows of its table have in common with it.
Params table_params(const Series& series) {
  Params::Map own = without_own(series).map();
  if (shares_types(series)) own.erase("dtype");
  return own;
}

/// The columns of a table, in its order.
enum Column {
  kRung,
  kTime,
  kGain,
  kHalfWidth,
  kSamples,
  kCompute,
  kShare,
  kExponentials,
  kBandwidth,
  kThroughput,
  kEnergy,
  kMemory,
  kError,
  kColumns
};

/// `with`: a series of the table; its check says what the last column holds.
std::vector<std::string> heading_with(const Series& with) {
  const QualityCheck* check = with.quality();
  const bool is_error =
      check && (check->nmse_limit > 0 || check->task.empty()) && with.kind != RungKind::command;
  return {"rung",
          "time/call",
          "gain",
          "95 %",
          "samples",
          "compute",
          with.kind == RungKind::pipeline ? "of bound" : "ceiling",
          "exponentials",
          "bandwidth",
          "throughput",
          "energy",
          "memory",
          is_error ? "NMSE" : "check"};
}

/// How many times as fast as what came before.
struct Gain {
  double ratio = 0;
  bool is_rough = false;            ///< either time is
  bool is_steady = false;           ///< the interval of neither is too wide for a figure
  bool is_once = false;             ///< one of them is a single call
  std::optional<Interval> range{};  ///< of times that are not steady: alone_range()
};

constexpr const char *kTo = "–", *kAbout = "≈", *kNoisyCell = "noisy";

std::string gain_cell(const Gain& gain) {
  if (!gain.is_rough) return std::string(kAbout) + format_number(gain.ratio, 2) + "×";
  if (gain.is_steady) return std::string(kAbout) + rough_number(gain.ratio) + "× " + kNoisyCell;
  if (gain.is_once) return std::string(kAbout) + rough_number(gain.ratio) + "×";
  if (!gain.range) return kNoisyCell;
  const std::string range = alone_range_text(*gain.range);
  return range.empty() ? std::string(kAbout) + format_number(gain.ratio, 2) + "×" : range;
}

bool is_noisy_cell(const std::string& cell) {
  return cell.ends_with(kNoisyCell) || cell.find(kTo) != std::string::npos;
}

std::vector<std::string> row_of(const Run& run, const Series& series,
                                const std::optional<Gain>& gain) {
  std::vector<std::string> row(kColumns);
  row[kRung] = short_name(series.kernel);
  // A table of several types has none in its heading.
  if (const std::string type = dtype_of(series);
      shares_types(series) && row[kRung].find(type) == std::string::npos)
    row[kRung] += " (" + type + ")";
  if (!series.reduced_from.empty())
    row[kRung] +=
        " (" +
        params_in_words(series.lab, report::differing(series.params, {}, series.size_param)) + ")";
  if (series.kind == RungKind::training || series.kind == RungKind::command)
    row[kMemory] = series.memory_bytes > 0 ? format_bytes(series.memory_bytes) : kNone;
  row[kError] = error_cell(series);
  if (!has_speed(series)) {
    row[kTime] = is_emulated(series) ? kEmulated : kNone;
    return row;
  }
  const Derived derived = derive(series, run);
  row[kTime] = format_time_ns(series.stats->median_ns);
  if (gain) row[kGain] = gain_cell(*gain);
  row[kHalfWidth] = half_width(*series.stats);
  row[kSamples] = std::to_string(series.stats->n);
  row[kCompute] =
      marked(rate_cell(derived.flop_per_s, rate_unit(dtype_of(series))), derived.above_compute);
  row[kShare] = share_cell(series, derived);
  row[kExponentials] = exponentials_text(derived);
  row[kBandwidth] = marked(rate_cell(derived.bytes_per_s, "B/s"),
                           derived.above_bandwidth || reads_over(derived.bandwidth));
  row[kThroughput] = series.items_per_s > 0 ? format_rate(series.items_per_s, "items/s") : "";
  row[kEnergy] = energy_text(series, derived);
  return row;
}

/// What came before a row in its table, for its gain.
class Gains {
 public:
  /// How many times as fast as what it is held against; absent where there is nothing of that kind.
  std::optional<Gain> next(const Series& series) {
    // A smaller size takes less time, and a comparison has a better answer of its own.
    const bool counts = has_speed(series) && series.reduced_from.empty() &&
                        series.mode != RunMode::compare && series.stats->median_ns > 0;
    if (!counts) return {};
    Ours& ours = of_backend_[backend_of(series.kernel).text()];
    const Lab* lab = lab_and_rung(std::string(original_of(series.kernel))).first;
    if (lab && !lab->is_ladder) return {};
    const Rung* rung = rung_of(original_of(series.kernel));
    const bool is_library = rung && rung->peer;
    if (rung && !why_no_step(rung->kernel, series.params).empty()) return {};
    const Stats& now = *series.stats;
    const Stats* before = is_library ? ours.best : ours.last;
    if (!is_library) {
      ours.last = &now;
      if (!ours.best || now.median_ns < ours.best->median_ns) ours.best = &now;
    }
    if (!before) return {};
    Gain gain{before->median_ns / now.median_ns};
    gain.is_rough = is_rough_ratio(now, *before);
    gain.is_steady = is_steady(now) && is_steady(*before);
    gain.is_once = now.n < 2 || before->n < 2;
    gain.range = alone_range(*before, now);
    return gain;
  }

 private:
  struct Ours {
    const Stats *last = nullptr, *best = nullptr;  ///< null: none yet
  };
  std::map<std::string, Ours> of_backend_;
};

/// One table for each family, size and type, in the order measured. A rung that ran smaller than asked stands
/// among its neighbours, its size in its own row.
std::vector<std::vector<const Series*>> tables_of(const std::vector<const Series*>& all) {
  std::vector<std::vector<const Series*>> tables;
  std::optional<Params> params;  // of the table begun last, once known
  for (const Series* series : all) {
    const bool is_full = series->reduced_from.empty();
    const Params own = table_params(*series);
    const bool is_other =
        !tables.empty() && family_of(tables.back().back()->kernel) != family_of(series->kernel);
    if (tables.empty() || is_other || (is_full && params && !agrees(own, *params))) {
      tables.emplace_back();
      params.reset();
    }
    if (is_full) params = own;
    tables.back().push_back(series);
  }
  return tables;
}

}  // namespace

bool has_speed(const Series& series) {
  return series.status == SeriesStatus::ok && series.may_show_speed() && series.stats &&
         series.stats->n > 0;
}

std::string short_name(const std::string& kernel) {
  if (std::string command = command_title(kernel); !command.empty()) return command;
  const size_t dot = kernel.find('.');
  return find_lab(kernel.substr(0, dot)) ? kernel.substr(dot + 1) : kernel;
}

std::string name_among(const Run& run, const Series& series) {
  for (const Series* other : run.series_of_kernel(series.kernel)) {
    if (other->request != series.request || other->params == series.params) continue;
    const Params own = report::differing(series.params, other->params, series.size_param);
    return short_name(series.kernel) +
           (own.empty() ? "" : " (" + params_in_words(series.lab, own) + ")");
  }
  return short_name(series.kernel);
}

std::string heading_of(const std::vector<const Series*>& all) {
  const Series& first = *all.front();
  const auto full =
      std::find_if(all.begin(), all.end(), [](const Series* s) { return s->reduced_from.empty(); });
  const Series* typical_one = full == all.end() ? &first : *full;
  for (const Series* series : all) {  // a rung without workers has fewer parameters than the others
    if (series->reduced_from.empty() && series->params.size() > typical_one->params.size())
      typical_one = series;
  }
  const Series& typical = *typical_one;
  const std::string params = params_in_words(
      typical.lab, report::differing(table_params(typical), {}, typical.size_param));
  return fmt::format("{}: {}{}{} cache, {}\n", typical.lab, params, params.empty() ? "" : ", ",
                     typical.cache.text(), typical.mode.text());
}

namespace {

/// What a narrow terminal has no room for, first what says least of a rung's speed.
constexpr Column kLeftOutFirst[] = {kSamples,    kBandwidth, kExponentials, kEnergy,
                                    kThroughput, kMemory,    kCompute,      kHalfWidth};

/// The columns, of these widths, that do not fit into lines of `width`.
std::vector<Column> columns_left_out(const std::vector<size_t>& widths, size_t width) {
  constexpr size_t kGap = 2;
  size_t total = 0;
  for (const size_t one : widths) total += one > 0 ? one + kGap : 0;
  std::vector<Column> left_out;
  for (const Column column : kLeftOutFirst) {
    if (total - std::min(total, kGap) <= width) break;
    if (widths[column] == 0) continue;
    total -= widths[column] + kGap;
    left_out.push_back(column);
  }
  return left_out;
}

/// A terminal that has room left gives it to what is at times wider: "≈0.83× noisy", "±0.079 %".
void give_room(size_t width, std::vector<size_t>* widths) {
  constexpr size_t kGap = 2, kNoisyGain = 12, kNarrowInterval = 8;
  size_t total = 0;
  for (const size_t one : *widths) total += one > 0 ? one + kGap : 0;
  std::vector<size_t> wider = *widths;
  wider[kGain] = kNoisyGain;
  if (wider[kHalfWidth] > 0) wider[kHalfWidth] = kNarrowInterval;
  const size_t more = wider[kGain] - (*widths)[kGain] + wider[kHalfWidth] - (*widths)[kHalfWidth];
  if (width != std::string::npos && total - kGap + more <= width) *widths = std::move(wider);
}

std::vector<size_t> widths_of(const std::vector<std::string>& heading,
                              const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(heading.size(), 0);
  for (size_t c = 0; c < heading.size(); ++c) {
    for (const auto& row : rows) widths[c] = std::max(widths[c], display_width(row[c]));
    if (widths[c] > 0) widths[c] = std::max(widths[c], display_width(heading[c]));
  }
  return widths;
}

}  // namespace

void TableNotes::leave_out(const std::string& column) {
  if (std::find(left_out_.begin(), left_out_.end(), column) == left_out_.end())
    left_out_.push_back(column);
  is_narrow_ = true;
}

void TableNotes::see(const std::vector<std::string>& row) {
  const bool here[kNotes] = {row[kGain].starts_with(kAbout), is_noisy_cell(row[kGain]),
                             row[kHalfWidth] == kFewCell};
  for (int i = 0; i < kNotes; ++i) is_wanted_[i] |= here[i];
}

std::string TableNotes::take() {
  static const char* const kWords[kNotes] = {
      "≈: over the rung before it (a library: our best), each alone; 'ridgepoint compare' decides",
      "a range (1.2–1.9×), or noisy: the interval of its time, or of that before it, is wider than "
      "±30 %, or other programs ran meanwhile, or it is unsteady: its time was over too early",
      "few: too few samples for an interval; where they lie further apart than ±30 %, a gain is a "
      "range"};
  std::string text;
  for (int i = 0; i < kNotes; ++i) {
    if (std::exchange(is_wanted_[i], false) && !std::exchange(is_said_[i], true))
      text += wrapped(std::string("  ") + kWords[i], text_width(), 4) + "\n";
  }
  if (std::exchange(is_narrow_, false) && !std::exchange(is_narrow_said_, true))
    text += wrapped(fmt::format("  no room for {}: a wider terminal, or a pipe, has all columns",
                                fmt::join(left_out_, ", ")),
                    text_width(), 4) +
            "\n";
  return text;
}

std::string series_tables(const Run& run, const std::vector<const Series*>& all) {
  std::string text;
  TableNotes notes;
  for (const std::vector<const Series*>& one : tables_of(all)) {
    std::vector<std::vector<std::string>> rows;
    Gains gains;
    for (const Series* series : one) {
      rows.push_back(row_of(run, *series, gains.next(*series)));
      notes.see(rows.back());
    }
    const auto heading = heading_with(*one.front());
    for (const Column column : columns_left_out(widths_of(heading, rows), text_width())) {
      notes.leave_out(heading[column]);
      for (auto& row : rows) row[column].clear();
    }
    text += "\n" + heading_of(one) + table(heading, rows) + notes.take();
  }
  return text;
}

std::vector<size_t> table_rows(const std::vector<const Series*>& all) {
  std::vector<size_t> rows;
  for (const std::vector<const Series*>& one : tables_of(all)) rows.push_back(one.size());
  return rows;
}

// ---- line by line ------------------------------------------------------------------------------

namespace {

/// As wide as the figures of a kernel get; 0: a column that not every table has.
constexpr size_t kFixedWidths[kColumns] = {0, 9, 10, 7, 7, 12, 7, 0, 9, 0, 0, 0, 9};

/// Whether its share of a ceiling may still come.
bool waits_for_share(const Run& run, const Series& series) {
  return run.ceilings().empty() && has_speed(series) && series.flop > 0 &&
         !derive(series, run).compute;
}

/// The series of the request, in order, up to the first whose row is not ready.
std::vector<const Series*> ready_series(const Run& run, int64_t request, bool is_over) {
  std::vector<const Series*> ready;
  for (const Series& series : run.series()) {
    if (series.request != request || series.kind == RungKind::trap) continue;
    if (!is_over && series.is_under_way()) break;
    ready.push_back(&series);
  }
  if (is_over || ready.size() > kResultsBeforeCeilings) return ready;
  const auto first = std::find_if(ready.begin(), ready.end(), [&](const Series* series) {
    return waits_for_share(run, *series);
  });
  ready.erase(first, ready.end());
  return ready;
}

}  // namespace

GrowingTables::GrowingTables(const std::vector<std::string>& kernels) {
  for (const std::string& kernel : kernels)
    name_width_ = std::max(name_width_, display_width(short_name(kernel)));
}

std::string GrowingTables::next(const Run& run, int64_t request, bool is_over) {
  const auto tables = tables_of(ready_series(run, request, is_over));
  std::string text;
  for (size_t i = tables_ > 0 ? tables_ - 1 : 0; i < tables.size(); ++i) {
    Gains gains;
    for (size_t r = 0; r < tables[i].size(); ++r) {
      const std::vector<std::string> row = row_of(run, *tables[i][r], gains.next(*tables[i][r]));
      if (i == tables_) text += begin(tables[i], row);
      if (r < rows_) continue;
      text += line(row);
      notes_.see(row);
      shares_.push_back(row[kShare]);
      ++rows_;
    }
  }
  return is_over ? text + notes_.take() + changed_shares(run, tables) : text;
}

/// A ceiling is measured again where it is in doubt, or a rung has passed it.
std::string GrowingTables::changed_shares(const Run& run,
                                          const std::vector<std::vector<const Series*>>& tables) {
  std::vector<std::string> now;
  size_t at = 0;
  for (const std::vector<const Series*>& table : tables) {
    for (const Series* series : table) {
      const std::string share = row_of(run, *series, {})[kShare];
      if (at < shares_.size() && share != std::exchange(shares_[at], share))
        now.push_back(short_name(series->kernel) + " " + (share.empty() ? "none" : share));
      ++at;
    }
  }
  if (now.empty()) return "";
  return wrapped(fmt::format("  ceiling, measured again since these rows were printed: {}",
                             fmt::join(now, ", ")),
                 text_width(), 4) +
         "\n";
}

std::string GrowingTables::begin(const std::vector<const Series*>& table,
                                 const std::vector<std::string>& row) {
  const std::string before = notes_.take();
  ++tables_;
  rows_ = 0;
  widths_.assign(std::begin(kFixedWidths), std::end(kFixedWidths));
  widths_[kRung] = name_width_;
  heading_ = heading_with(*table.front());
  // A column that few tables have is there where the first row fills it.
  for (size_t c = 1; c < kColumns; ++c) {
    if (widths_[c] == 0 && !row[c].empty())
      widths_[c] = std::max(display_width(row[c]), display_width(heading_[c]));
  }
  left_out_.assign(kColumns, false);
  for (const Column column : columns_left_out(widths_, text_width())) {
    notes_.leave_out(heading_[column]);
    widths_[column] = 0;
    left_out_[column] = true;
  }
  give_room(text_width(), &widths_);
  return before + "\n" + heading_of(table) + table_line(heading_, widths_);
}

/// A figure that has no column in this table follows its row, with the column's name; on a line of its own where the row
/// has no room.
std::string GrowingTables::line(const std::vector<std::string>& row) const {
  std::string text = table_line(row, widths_), more;
  for (size_t c = 0; c < kColumns; ++c) {
    if (widths_[c] == 0 && !left_out_[c] && !row[c].empty())
      more += "  " + heading_[c] + " " + row[c];
  }
  if (more.empty()) return text;
  const bool has_room = display_width(text) - 1 + display_width(more) <= text_width();
  if (has_room) text.pop_back();
  return text + more + "\n";
}

}  // namespace ridge::app
